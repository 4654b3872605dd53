#!/bin/sh
# Tests the vendor's Terraform provider and pango against a lab with a manager: terraform_manager.sh CHECKOUT READY_FILE
#
# Builds the provider of the checkout, applies terraform/main.tf, changes the parent of a group, expects an empty plan, and destroys the
# objects. Then builds pango_manager.go in the provider's module and runs it. Needs Go and Terraform 1.8 or later.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$1" && pwd)
ready=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
home=$(mktemp -d)
trap 'rm -rf "$home" "$checkout/lab"' EXIT
mkdir -p "$home/plugins" "$home/work" "$checkout/lab"
cp "$here/pango_manager.go" "$checkout/lab/main.go"
cp "$here/terraform/main.tf" "$home/work/"
cd "$checkout"
go build -o "$home/plugins/terraform-provider-panos" .
go build -o "$home/lab-manager" ./lab
cat > "$home/terraformrc" <<END
provider_installation {
  dev_overrides { "registry.terraform.io/paloaltonetworks/panos" = "$home/plugins" }
  direct {}
}
END
PANOS_PORT=$(python3 -c 'import json, sys, urllib.parse; print(urllib.parse.urlparse(json.load(open(sys.argv[1]))["firewall"]).port)' "$ready")
export PANOS_PORT TF_CLI_CONFIG_FILE="$home/terraformrc" TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
cd "$home/work"
expect_empty_plan() {
  terraform plan -no-color -detailed-exitcode "$@" > "$home/plan" || { cat "$home/plan"; exit 1; }
}
terraform apply -no-color -auto-approve
test "$(terraform output -raw parent)" = regions
expect_empty_plan
terraform apply -no-color -auto-approve -var parent=offices
test "$(terraform output -raw parent)" = offices
expect_empty_plan -var parent=offices
terraform apply -no-color -auto-approve -var parent=
expect_empty_plan -var parent=
terraform destroy -no-color -auto-approve
echo "terraform: ok"
"$home/lab-manager" "$ready"
