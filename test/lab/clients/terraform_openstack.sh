#!/bin/sh
# Tests the Terraform provider of OpenStack against a cloud: terraform_openstack.sh CHECKOUT
#
# The cloud is the lab of with_lab.sh ($READY), otherwise the cloud of the OS_* variables.
# Builds the provider of the checkout, applies terraform-openstack/main.tf, expects an empty plan, changes 9 objects, expects an empty plan,
# and destroys the objects. Needs Go and Terraform 1.8 or later. $PROVIDER names a provider that is already built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$1" && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p "$home/plugins" "$home/work"
cp "$here/terraform-openstack/main.tf" "$home/work/"
if [ -n "${PROVIDER:-}" ]; then
  cp "$PROVIDER" "$home/plugins/terraform-provider-openstack"
else
  (cd "$checkout" && go build -o "$home/plugins/terraform-provider-openstack" .)
fi
cat > "$home/terraformrc" <<END
provider_installation {
  dev_overrides { "registry.terraform.io/terraform-provider-openstack/openstack" = "$home/plugins" }
  direct {}
}
END
if [ -n "${READY:-}" ]; then
  OS_AUTH_URL=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["identity"])' "$READY")
  export OS_AUTH_URL OS_USERNAME=demo OS_PASSWORD=secret OS_PROJECT_NAME=demo OS_USER_DOMAIN_ID=default OS_PROJECT_DOMAIN_ID=default
fi
export TF_CLI_CONFIG_FILE="$home/terraformrc" TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
cd "$home/work"
expect_empty_plan() {
  terraform plan -no-color -detailed-exitcode "$@" > "$home/plan" || { cat "$home/plan"; exit 1; }
}
terraform apply -no-color -auto-approve
test "$(terraform output -raw address)" = 192.0.2.50
expect_empty_plan
terraform apply -no-color -auto-approve -var stage=second
expect_empty_plan -var stage=second
terraform destroy -no-color -auto-approve -var stage=second
echo "terraform: ok"
