"""Tests every function of pan-python's `panxapi.py` for firewalls against a new lab with the sample configuration.

    /usr/bin/python3 panxapi_functions.py --panxapi PATH/bin/panxapi.py --ready ready.json
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as etree

from cases import Cases, equal, holds
from panxapi import Panxapi

VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']"
ADDRESS = f"{VSYS}/address"
RULES = f"{VSYS}/rulebase/security/rules"
SYSTEM = "/config/devices/entry/deviceconfig/system"


def entry(path, name):
    return f"{path}/entry[@name='{name}']"


class Functions:
    def __init__(self, client, folder):
        self.client = client
        self.folder = folder

    def call(self, *words, status="success", text=""):
        """Runs one function and returns the printed XML. Its status line must contain `status` and `text`."""
        done = self.client.run("-x", "--interval", "0.05", *words)
        line = done.err.strip()
        holds(line, f": {status}")
        holds(line, text)
        equal(done.code, 0 if status == "success" else 1)
        return etree.fromstring(done.out) if done.out.startswith("<") else None

    def names(self, xpath):
        return [each.get("name") for each in self.call("-g", f"{xpath}/entry").find("result")]

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    # Keys and ways to call

    def keygen(self):
        done = self.client.words(*self.client.where, "-l", "admin:admin", "-k")
        holds(done.err, "keygen: success")
        holds(done.out, "API key:")

    def keygen_for_a_panrc(self):
        done = self.client.words(*self.client.where, "-l", "admin:admin", "-k", "-t", "lab")
        holds(done.out, "api_key%lab=")

    def wrong_password(self):
        done = self.client.words(*self.client.where, "-l", "admin:wrong", "-k")
        equal(done.code, 1)
        holds(done.err, "403")

    def user_and_password_instead_of_a_key(self):
        done = self.client.words(*self.client.where, "-l", "admin:admin", "-g", f"{SYSTEM}/hostname")
        holds(done.err, 'get: success [code="19"]')

    def get_method(self):
        self.call("-G", "-g", f"{SYSTEM}/hostname", text='code="19"')

    def folder_of_authorities(self):
        words = [*self.client.where[:4], "--capath", self.folder, "-K", self.client.key, "-g", SYSTEM]
        holds(self.client.words(*words).err, "certificate verify failed")
        shutil.copy(self.client.ca, self.folder)
        subprocess.run(["openssl", "rehash", self.folder], check=True)
        holds(self.client.words(*words).err, "get: success")

    def output_as_json(self):
        done = self.client.run("-jr", "-g", f"{SYSTEM}/hostname")
        holds(json.dumps(json.loads(done.out)), "lab-fw")

    def output_as_python(self):
        done = self.client.run("-pr", "-g", f"{SYSTEM}/hostname")
        scope = {}
        exec(done.out, scope)
        holds(str(scope["var1"]), "lab-fw")

    # Configuration

    def get(self):
        equal(self.names(ADDRESS), ["web-1", "web-2"])

    def get_of_nothing(self):
        self.call("-g", entry(ADDRESS, "none"), text='code="7"')

    def show(self):
        equal(self.call("-s", entry(ADDRESS, "web-1")).findtext("result/entry/ip-netmask"), "10.0.0.10")

    def show_of_everything(self):
        equal(self.call("-s").find("result/config").get("version"), "11.1.0")

    def show_of_nothing(self):
        self.call("-s", entry(ADDRESS, "none"), status="error", text="No such node")

    def set(self):
        self.call("-S", "<ip-netmask>10.0.0.30</ip-netmask>", entry(ADDRESS, "db-1"), text='code="20"]: "command succeeded"')
        equal(self.names(ADDRESS), ["web-1", "web-2", "db-1"])

    def set_from_a_file(self):
        self.call("-S", self.file("element.xml", "<entry name='db-2'><fqdn>db.example.net</fqdn></entry>"), ADDRESS)
        equal(self.names(ADDRESS)[-1], "db-2")

    def set_of_what_is_no_value(self):
        self.call("-S", "<ip-netmask>not-an-ip</ip-netmask>", entry(ADDRESS, "x"), status="error", text="is an invalid")

    def edit(self):
        self.call("-e", "<ip-netmask>10.0.0.31</ip-netmask>", f"{entry(ADDRESS, 'db-1')}/ip-netmask")
        equal(self.call("-g", entry(ADDRESS, "db-1")).findtext("result/entry/ip-netmask"), "10.0.0.31")

    def edit_of_a_member(self):
        users = f"{entry(RULES, 'allow-web')}/source-user"
        self.call("-e", "<member>corp\\alice</member>", f"{users}/member[text()='any']")
        equal([member.text for member in self.call("-g", f"{users}/member").find("result")], ["corp\\alice"])

    def delete(self):
        self.call("-d", entry(ADDRESS, "db-2"), text='code="20"')
        equal(self.names(ADDRESS), ["web-1", "web-2", "db-1"])

    def delete_of_what_is_used(self):
        self.call("-d", entry(ADDRESS, "web-1"), status="error", text="cannot be deleted because of references from")

    def clone(self):
        self.call("--clone", "--src", entry(RULES, "allow-web"), "--dst", "allow-db", RULES)
        equal(self.names(RULES), ["allow-web", "allow-db"])

    def rename(self):
        self.call("--rename", "--dst", "deny-db", entry(RULES, "allow-db"))
        equal(self.names(RULES), ["allow-web", "deny-db"])

    def move_to_the_top(self):
        self.call("--move", "top", entry(RULES, "deny-db"))
        equal(self.names(RULES), ["deny-db", "allow-web"])

    def move_after(self):
        self.call("--move", "after", "--dst", "allow-web", entry(RULES, "deny-db"))
        equal(self.names(RULES), ["allow-web", "deny-db"])

    def override_without_a_template(self):
        self.call("--override", "<entry name='web-1'/>", ADDRESS, status="error", text="cannot be overridden")

    def multi_config(self):
        batch = "".join(f"<set id='{n}' xpath=\"{entry(ADDRESS, f'many-{n}')}\"><ip-netmask>10.1.0.{n}</ip-netmask></set>" for n in range(1, 4))
        reply = self.call("-M", f"<multi-config>{batch}</multi-config>", text='status="success" code="20" id="3"')
        equal(len(reply.findall("response")), 3)

    def multi_config_with_an_error(self):
        good = f"<delete xpath=\"{entry(ADDRESS, 'many-1')}\"/>"
        bad = f"<delete id='used' xpath=\"{entry(ADDRESS, 'web-1')}\"/>"
        self.call("-M", f"<multi-config>{good}{bad}</multi-config>", status="error", text='id="used"')
        equal("many-1" in self.names(ADDRESS), True)

    def multi_config_strict(self):
        one = f"<set xpath=\"{entry(ADDRESS, 'strict')}\"><ip-netmask>10.1.0.9</ip-netmask></set>"
        self.call("--strict", "yes", "-M", f"<multi-config>{one}</multi-config>")
        equal(self.names(ADDRESS), ["web-1", "web-2", "strict"])

    def ad_hoc(self):
        self.call("--modify", "--ad-hoc", f"type=config&action=get&xpath={SYSTEM}/hostname", text='code="19"')

    def ad_hoc_beside_a_function(self):
        self.call("--ad-hoc", "action=show", "-g", f"{SYSTEM}/hostname", text="get: success")

    # Commit

    def validate(self):
        self.call("-C", "", "--validate", "--sync", text="Configuration is valid")

    def commit(self):
        self.call("-C", "", text="Commit job enqueued with jobid")

    def commit_of_nothing(self):
        # The edit creates a job behind any running job, so --sync waits for both.
        self.call("-S", "<description>committed</description>", entry(ADDRESS, "web-1"))
        self.call("-C", "", "--sync")
        self.call("-C", "", text="There are no changes to commit.")

    def commit_and_wait(self):
        self.call("-S", "<hostname>renamed</hostname>", SYSTEM)
        self.call("-C", "", "--sync", text="Configuration committed successfully")
        equal(self.call("-s", f"{SYSTEM}/hostname").findtext("result/hostname"), "renamed")

    def commit_by_force(self):
        self.call("-C", "", "--force", "--sync", text="Configuration committed successfully")

    def commit_of_parts(self):
        self.call("-S", "<hostname>left-out</hostname>", SYSTEM)
        self.call("-S", "<ip-netmask>10.0.0.40</ip-netmask>", entry(ADDRESS, "part"))
        part = "<device-and-network>excluded</device-and-network><vsys><member>vsys1</member></vsys>"
        self.call("-C", f"<commit><partial>{part}</partial></commit>", "--sync", text="successfully")
        equal(self.call("-s", f"{SYSTEM}/hostname").findtext("result/hostname"), "renamed")
        self.call("-s", entry(ADDRESS, "part"))

    def commit_without_any_vsys(self):
        part = "<no-vsys/><policy-and-objects>excluded</policy-and-objects><shared-object>excluded</shared-object>"
        self.call("-C", f"<commit><partial>{part}</partial></commit>", "--sync", text="successfully")
        equal(self.call("-s", f"{SYSTEM}/hostname").findtext("result/hostname"), "left-out")

    def option_partial(self):
        self.call("-S", "<ip-netmask>10.0.0.41</ip-netmask>", entry(ADDRESS, "part"))
        self.call("-C", "", "--partial", "device-and-network-excluded", "--sync", text="successfully")

    def commit_that_fails(self):
        self.call("-S", "<entry name='empty'/>", ADDRESS)
        self.call("-C", "", "--sync", text="Validation Error")
        self.call("-d", entry(ADDRESS, "empty"))

    # Operational commands

    def op_as_words(self):
        equal(self.call("-X", "-o", "show system info").findtext("result/system/model"), "PA-VM")

    def op_as_xml(self):
        self.call("-o", "<check><pending-changes/></check>")

    def op_in_a_vsys(self):
        self.call("--vsys", "1", "-o", "<show><config-locks/></show>")

    def op_of_a_job(self):
        equal(self.call("-X", "-o", 'show jobs id "1"').findtext("result/job/status"), "FIN")

    def op_that_is_unknown(self):
        self.call("-X", "-o", "show nothing", status="error", text='code="17"')

    def locks(self):
        for kind in ("config", "commit"):
            self.call("-o", f"<request><{kind}-lock><add><comment>mine</comment></add></{kind}-lock></request>")
            listed = self.call("-o", f"<show><{kind}-locks><vsys>all</vsys></{kind}-locks></show>")
            equal(listed.find(f"result/{kind}-locks/entry").get("name"), "admin")
            self.call("-o", f"<request><{kind}-lock><remove/></{kind}-lock></request>")

    def save_and_load(self):
        self.call("-X", "-o", 'save config to "before.xml"')
        self.call("-d", entry(ADDRESS, "part"))
        self.call("-X", "-o", 'load config from "before.xml"')
        equal("part" in self.names(ADDRESS), True)

    def revert(self):
        self.call("-S", "<hostname>unwanted</hostname>", SYSTEM)
        self.call("-o", "<revert><config/></revert>")
        equal(self.call("-g", f"{SYSTEM}/hostname").findtext("result/hostname"), "left-out")

    # Logs, reports, users, files

    def logs(self):
        for kind in ("config", "system", "threat", "traffic", "hipmatch", "url", "wildfire"):
            reply = self.call("--log", kind, "--nlogs", "2")
            equal(reply.findtext("result/job/status"), "FIN")
            equal(reply.find("result/log/logs").get("progress"), "100")

    def log_of_threats(self):
        reply = self.call("--log", "threat")
        equal(reply.findtext("result/job/status"), "FIN")
        equal(len(reply.findall("result/log/logs/entry")), int(reply.findtext("result/job/cached-logs")))
        equal(reply.find("result/meta/devices/entry/vsys/entry").get("name"), "vsys1")

    def logs_filtered_and_skipped(self):
        everything = self.call("--log", "config", "--nlogs", "100", "--filter", "( cmd eq set )").findall("result/log/logs/entry")
        rest = self.call("--log", "config", "--nlogs", "100", "--skip", "1", "--filter", "( cmd eq set )").findall("result/log/logs/entry")
        equal([each.findtext("cmd") for each in everything], ["set"] * len(everything))
        equal(len(rest), len(everything) - 1)

    def report_dynamic(self):
        words = ["--report", "dynamic", "--name", "top-applications-summary", "--ad-hoc", "period=last-hour&topn=5"]
        equal(self.call(*words).find("result/report").get("name"), "Top applications")

    def report_predefined(self):
        equal(self.call("--report", "predefined", "--name", "top-applications").tag, "report")

    def user_mapping(self):
        login = "<payload><login><entry name='corp\\alice' ip='192.0.2.7'/></login></payload>"
        self.call("-U", f"<uid-message><type>update</type>{login}</uid-message>")
        shown = self.call("-X", "-o", 'show user ip-user-mapping-mp ip "192.0.2.7"')
        equal(shown.findtext("result/entry/user"), "corp\\alice")

    def export_configuration(self):
        equal(self.call("--export", "configuration").tag, "config")

    def import_and_export_a_certificate(self):
        about = "certificate-name=lab-authority&format=pem"
        self.call("--import", "certificate", "--file", self.client.ca, "--ad-hoc", about)
        self.call("-C", "", "--sync", text="successfully")
        out = os.path.join(self.folder, "out.pem")
        self.call("--export", "certificate", "--dst", out, "--ad-hoc", f"{about}&include-key=no")
        with open(out) as exported, open(self.client.ca) as authority:
            equal(exported.read().strip(), authority.read().strip())

    def request_a_certificate(self):
        wanted = (
            "<certificate-name>web</certificate-name><name>www.example.com</name><digest>sha256</digest><ca>no</ca>"
            "<algorithm><RSA><rsa-nbits>2048</rsa-nbits></RSA></algorithm><hostname><member>www.example.com</member></hostname>"
            "<signed-by>external</signed-by>"
        )
        self.call("-o", f"<request><certificate><generate>{wanted}</generate></certificate></request>", text="Successfully generated")
        out = os.path.join(self.folder, "web.csr")
        about = "certificate-name=web&format=pkcs10&include-key=no"
        self.call("--export", "certificate", "--dst", out, "--ad-hoc", about)
        shown = subprocess.run(["openssl", "req", "-verify", "-noout", "-text", "-in", out], check=True, capture_output=True, text=True)
        holds(shown.stdout, "CN = www.example.com" if "CN = " in shown.stdout else "CN=www.example.com")
        holds(shown.stdout, "DNS:www.example.com")

    def import_a_configuration(self):
        document = etree.tostring(self.call("-s").find("result/config"), encoding="unicode")
        self.call("--import", "configuration", "--name", "copy.xml", "--file", self.file("copy.xml", document))
        self.call("-X", "-o", 'load config from "copy.xml"')
        self.call("-X", "-o", 'delete config saved "copy.xml"')


# Functions in the specification: get, set, edit, delete, system information, commit, threat logs, keys.
SPECIFIED = {
    *("keygen", "keygen_for_a_panrc", "wrong_password", "user_and_password_instead_of_a_key", "get_method", "folder_of_authorities"),
    *("output_as_json", "output_as_python", "get", "get_of_nothing", "set", "set_from_a_file", "set_of_what_is_no_value", "edit"),
    *("edit_of_a_member", "delete", "delete_of_what_is_used", "ad_hoc", "commit", "op_as_words", "op_that_is_unknown", "log_of_threats"),
}


def main():
    parser = argparse.ArgumentParser()
    for name in ("panxapi", "ready"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--spec-only", action="store_true", help="the lab runs with --spec-only: only test functions of the specification")
    arguments = parser.parse_args()
    cases = Cases("panxapi.py", {"option partial": "the client's own: it calls pan.commit.valid_part, which pan-python no longer has"})
    with tempfile.TemporaryDirectory() as folder:
        functions = Functions(Panxapi(arguments.panxapi, arguments.ready), folder)
        helpers = {"call", "names", "file"}
        for name, member in vars(Functions).items():
            if not name.startswith("_") and name not in helpers and (not arguments.spec_only or name in SPECIFIED):
                cases.run(name.replace("_", " "), lambda member=member: member(functions))
    return cases.end()


if __name__ == "__main__":
    sys.exit(main())
