import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { load } from "js-yaml";
import { type OlderSchema, readOlderSchema } from "./older-schemas.js";
import type { SpecificationFile } from "./specification.js";

/** A public configuration of a real device, or a sample of its vendor. */
interface Source {
  readonly repository: string;
  readonly path: string;
  /** Branch of the file. The default is the first branch. */
  readonly branch?: string;
  /** False if the authors of the table did not read this file. */
  readonly seen: boolean;
}

const SKILLET = "PaloAltoNetworks/iron-skillet";
const PHP = "PaloAltoNetworks/pan-os-php";

/** Read from clones next to the checkout. They are never committed. */
const SOURCES: readonly Source[] = [
  { repository: PHP, path: "appid-toolbox/tests/input/stage05.xml", seen: true },
  { repository: PHP, path: "examples/sample-configs/panorama-example.xml", seen: true },
  { repository: PHP, path: "examples/sample-configs/panos-example-2.xml", seen: true },
  { repository: PHP, path: "tests/input/panorama-8.0-merger.xml", seen: false },
  { repository: SKILLET, path: "loadable_configs/sample-cloud-AWS/panos/iron_skillet_panos_full.xml", branch: "panos_v11.0", seen: true },
  {
    repository: SKILLET,
    path: "loadable_configs/sample-mgmt-static/panorama/iron_skillet_panorama_full.xml",
    branch: "panos_v10.1",
    seen: false,
  },
  { repository: "PaloAltoNetworks/aws-elb-autoscaling", path: "Version-2.0/bootstrap.xml", seen: true },
  { repository: "PaloAltoNetworks/aws-elb-autoscaling", path: "Version-2.1/panorama_sample_config/Panorama2-1-CS-Sample.xml", seen: false },
  { repository: "PaloAltoNetworks/azure-autoscaling", path: "Version-1-1/PanoramaAutoScale1-0-Sample.xml", seen: false },
  { repository: "BadAsh99/firewise-ai", path: "running-config.xml", seen: true },
  { repository: "CYBEX-P/server-configs", path: "running-config.xml", seen: true },
  { repository: "camcuoi/Palo-Alto-NGFW-CIS-compliance-check", path: "running-config.xml", seen: false },
  { repository: "djspears/GCP-Autoscale-", path: "bootstrap/config/bootstrap.xml", seen: true },
  { repository: "jasonmeurer/devdaygwlb", path: "bootstrap/config/bootstrap.xml", seen: false },
  { repository: "jharris10/azure-fw-east-west", path: "bootstrap/config/bootstrap.xml", seen: true },
  { repository: "joyy367/NS_ASSG", path: "running-config.xml", seen: false },
  { repository: "mervynckw/AWS-GWLB-Palo-Alto-VM-Series-Overlay-routing", path: "bootstrap/config/bootstrap.xml", seen: true },
  { repository: "nickda/pan-bootstrap-azure-aviatrix", path: "bootstrap.xml", seen: true },
  { repository: "tbisaillon/credential-theft-lab", path: "bootstrap.xml", seen: false },
  { repository: "wwce/cloud-slr", path: "bootstrap/config/bootstrap.xml", seen: true },
  { repository: "PaloAltoNetworks/AKS-k8s-north-south-inspection", path: "bootstrap-files/bootstrap.xml", seen: false },
  { repository: "PaloAltoNetworks/aws-alb-sandwich", path: "bootstrap.xml", seen: false },
  { repository: "boragungoren-portakalteknoloji/panvf-test", path: "bootstrap.xml", seen: false },
  { repository: "dstanic-pan/azure-egress", path: "bootstrap/config/bootstrap.xml", seen: false },
  { repository: "jtudong/gp-firewall-lab-2", path: "config/global-protect-mfa.xml", seen: false },
  { repository: "karimjamali/terraform-aviatrix-aws-ingress", path: "bootstrap.xml", seen: false },
  { repository: "netfryer/slalom_palo_terraform", path: "bootstrap_files/config/bootstrap.xml", seen: false },
  { repository: "wwce/skillet-aws-tgw-cft-demo", path: "bootstrap/config/bootstrap.xml", seen: false },
  { repository: "zhiyhappy/openstack-template-vwire", path: "bootstrap.xml", seen: false },
  { repository: "PaloAltoNetworks/XFF-to-User-ID-mapping", path: "bootstrap.xml", seen: false },
  { repository: "PaloAltoNetworks/multi-ip", path: "bootstrap.xml", seen: false },
  { repository: "bayupw/terraform-azure-pan-bootstrap", path: "bootstrap.xml", seen: false },
  { repository: "chanduusc/azure-lb2", path: "appgw-sample.xml", seen: false },
  { repository: "chanduusc/azure-lb2", path: "bootstrap.xml", seen: false },
  { repository: "jasonmeurer/PaloALBSandwich", path: "alb-alb.xml", seen: false },
  { repository: "jasonmeurer/azure-appgw-2fw", path: "bootstrap.xml", seen: false },
  { repository: "jtudong/pan_firewall_dev_lab", path: "config/running-config.xml", seen: false },
  { repository: "jye-aviatrix/terraform-aws-palo-bootstrap", path: "config/bootstrap.xml", seen: false },
  { repository: "ministryofjustice/PaloAltoNetworks-vmseries-bootstrap-package", path: "config/bootstrap.xml", seen: false },
  { repository: "vrou/credential-theft-lab", path: "bootstrap.xml", seen: false },
  { repository: "wpacket/pan-aws-cf", path: "config/bootstrap.xml", seen: false },
  { repository: "cbts-tools/terraform-azurerm-palofw", path: "files/bootstrap.xml", seen: false },
  { repository: "chanduusc/azure-loadbalancer", path: "bootstrap.xml", seen: false },
  { repository: "djspears/AWS-TGW-Panorama-bootstraping", path: "bootstrap_files/bootstrap.xml", seen: false },
  { repository: "djspears/AWS-TGW-Panorama-bootstraping", path: "bootstrap_files2/bootstrap.xml", seen: false },
  { repository: "fatofthelan/TerraformAwsPanTwoTier", path: "bootstrap_files/bootstrap.xml", seen: false },
  { repository: "georgegil/terraform-aws-paloalto-firewall-asg", path: "files/bootstrap.xml", seen: false },
  { repository: "icloudusr/vmseries-aws-gwlb-tgw", path: "bootstrap_files/bootstrap.xml", seen: false },
  { repository: "jharris10/XFF-UserID", path: "bootstrap.xml", seen: false },
  {
    repository: "jye-aviatrix/terraform-aviatrix-tgwo-network-domain-interop-with-avx-transit-network-domain",
    path: "bootstrap.xml",
    seen: false,
  },
  { repository: "kxle6/terraform-gpawsdemo", path: "bootstrap_files/bootstrap.xml", seen: false },
  { repository: "vmisson/terraform-azure-gwlb-palo-alto", path: "files/bootstrap.xml", seen: false },
  { repository: "wwce/gcp-tf-cie-lab", path: "bootstrap_files/bootstrap.xml", seen: false },
  { repository: "wwce/gcp-vmseries-tf-2fw-hub-spoke-lab", path: "bootstrap_files/bootstrap.xml", seen: false },
];

const SPECIFICATIONS = "PaloAltoNetworks/pan-os-codegen";

export interface Configuration {
  readonly name: string;
  readonly seen: boolean;
  readonly xml: string;
}

const first = (...places: readonly string[]): string | undefined => places.find((place) => existsSync(place));

/** The folder of clones, each at OWNER+NAME/repo: `PLUMBLINE_JUDGE`, or next to the checkout. */
function clones(): string | undefined {
  const given = process.env.PLUMBLINE_JUDGE;
  return given === undefined ? first("../.mirror", "../../.mirror") : first(given);
}

function cloneOf(repository: string): string | undefined {
  const root = clones();
  if (root === undefined) return undefined;
  const place = join(root, repository.replace("/", "+"), "repo");
  return first(join(place, ".git"), place);
}

function git(clone: string, args: readonly string[], input?: string): string {
  return execFileSync("git", ["--git-dir", clone, ...args], {
    encoding: "utf8",
    input,
    maxBuffer: 1 << 28,
    stdio: ["pipe", "pipe", "ignore"],
  });
}

/** Every file of `specs/`; undefined without a clone. */
export function specificationFiles(): SpecificationFile[] | undefined {
  const clone = cloneOf(SPECIFICATIONS);
  if (clone === undefined) return undefined;
  const names = git(clone, ["ls-tree", "-r", "--name-only", "HEAD", "specs"]).split("\n");
  const wanted = names.filter((name) => name.endsWith(".yaml") && !name.startsWith("specs/actions/"));
  const objects = git(clone, ["cat-file", "--batch"], wanted.map((name) => `HEAD:${name}\n`).join(""));
  return objects
    .split(/^[0-9a-f]{40} blob [0-9]+$/m)
    .slice(1)
    .map((text) => load(text) as SpecificationFile);
}

/** Schemas of older versions in a clone of pan-os-php; undefined without a clone. */
export function olderSchemas(): OlderSchema[] | undefined {
  const clone = cloneOf(PHP);
  if (clone === undefined) return undefined;
  const names = git(clone, ["ls-tree", "-r", "--name-only", "HEAD", "lib/resources"]).split("\n");
  return names.flatMap((name) => {
    const version = /^lib\/resources\/(.*)-schema-(v[0-9_]+)\.xml\.gz$/.exec(name);
    if (version === null) return [];
    const packed = execFileSync("git", ["--git-dir", clone, "cat-file", "blob", `HEAD:${name}`], { maxBuffer: 1 << 28 });
    return [readOlderSchema(`${version[1]} ${version[2]}`, gunzipSync(packed).toString("utf8"))];
  });
}

/** Available repositories of `SOURCES`, and configurations next to the checkout. */
export function configurations(): Configuration[] {
  const shared = first("../shared/data/panos", "../../shared/data/panos");
  const beside = shared === undefined ? [] : readdirSync(shared).filter((name) => name.endsWith(".xml"));
  return [
    ...beside.map((name) => ({ name, seen: true, xml: readFileSync(join(shared ?? "", name), "utf8") })),
    ...SOURCES.flatMap(({ repository, path, branch, seen }) => {
      const xml = textIn(repository, path, branch);
      return xml === undefined ? [] : [{ name: `${repository}: ${path}`, seen, xml }];
    }),
  ];
}

function textIn(repository: string, path: string, branch: string | undefined): string | undefined {
  const clone = cloneOf(repository);
  if (clone === undefined) return undefined;
  for (const commit of branch === undefined ? ["HEAD"] : [branch, `origin/${branch}`])
    try {
      return git(clone, ["show", `${commit}:${path}`]);
    } catch {
      // Another spelling of the branch, or a clone that has not this file any more.
    }
  return undefined;
}
