// Tests pango, and the actions of the vendor's Terraform provider through its plugin protocol, against a lab with a manager
// (managed_lab.mjs). terraform_manager.sh copies it into a checkout of the provider and builds it in that module.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/PaloAltoNetworks/pango"
	"github.com/PaloAltoNetworks/pango/commit"
	"github.com/PaloAltoNetworks/pango/objects/address"
	"github.com/PaloAltoNetworks/pango/panorama/devicegroup"
	"github.com/PaloAltoNetworks/pango/panorama/template"
	"github.com/PaloAltoNetworks/pango/panorama/template_stack"
	"github.com/PaloAltoNetworks/pango/xmlapi"
	"github.com/PaloAltoNetworks/terraform-provider-panos/internal/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

const (
	a = "007000000000001"
	b = "007000000000002"
	c = "007000000000003"
)

type lab struct {
	host   string
	port   int
	client *pango.Client
}

func (l *lab) connect(target string) *pango.Client {
	client := &pango.Client{Hostname: l.host, Username: "admin", Password: "admin", Port: l.port, Target: target, SkipVerifyCertificate: true}
	must(client.Setup())
	must(client.Initialize(context.Background()))
	return client
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func equal(got, wanted any) {
	if fmt.Sprint(got) != fmt.Sprint(wanted) {
		panic(fmt.Sprintf("%v instead of %v", got, wanted))
	}
}

func fails(err error, text string) {
	if err == nil || !strings.Contains(err.Error(), text) {
		panic(fmt.Sprintf("%v does not contain %q", err, text))
	}
}

// Waits for the job of a commit or push, including all of its firewalls.
func (l *lab) run(command xmlapi.CommitAction) error {
	ctx := context.Background()
	id, _, _, err := l.client.StartJob(ctx, &xmlapi.Commit{Command: command})
	if err != nil {
		return err
	}
	return l.client.WaitForJob(ctx, id, 20*time.Millisecond, nil)
}

func (l *lab) change(name, ip string) {
	group := address.NewDeviceGroupLocation()
	group.DeviceGroup.DeviceGroup = "branch"
	_, err := address.NewService(l.client).Create(context.Background(), *group, &address.Entry{Name: name, IpNetmask: &ip})
	must(err)
	must(l.run(commit.PanoramaCommit{Description: name}))
}

// Returns the firewalls of a group that the manager reports as in sync.
func (l *lab) synced(group string) []string {
	type row struct {
		Name   string `xml:"name,attr"`
		Status string `xml:"shared-policy-status"`
	}
	var answer struct {
		Rows []row `xml:"result>devicegroups>entry>devices>entry"`
	}
	command := struct {
		XMLName struct{} `xml:"show"`
		Name    string   `xml:"devicegroups>name"`
	}{Name: group}
	_, _, err := l.client.Communicate(context.Background(), &xmlapi.Op{Command: command}, false, &answer)
	must(err)
	found := []string{}
	for _, each := range answer.Rows {
		if each.Status == "In Sync" {
			found = append(found, each.Name)
		}
	}
	return found
}

// pango

func (l *lab) manager() {
	_, err := l.client.SystemInfo(context.Background())
	must(err)
	yes, err := l.client.IsPanorama()
	must(err)
	equal(yes, true)
}

func (l *lab) lists() {
	ctx := context.Background()
	groups, err := devicegroup.NewService(l.client).List(ctx, *devicegroup.NewPanoramaLocation(), "get", "", "")
	must(err)
	names := []string{}
	for _, each := range groups {
		names = append(names, each.Name)
		for _, device := range each.Devices {
			names = append(names, device.Name)
		}
	}
	equal(names, []string{"offices", "branch", a, b, "plants", c})
	templates, err := template.NewService(l.client).List(ctx, *template.NewPanoramaLocation(), "get", "", "")
	must(err)
	equal(len(templates), 2)
	stacks, err := template_stack.NewService(l.client).List(ctx, *template_stack.NewPanoramaLocation(), "get", "", "")
	must(err)
	equal(stacks[0].Templates, []string{"branch-net"})
}

func (l *lab) virtualSystems() {
	groups, err := devicegroup.NewService(l.client).List(context.Background(), *devicegroup.NewPanoramaLocation(), "get", "", "")
	must(err)
	equal(groups[2].Devices[0].Vsys, []string{"vsys1", "vsys2"})
}

func (l *lab) commitOfParts() {
	must(l.run(commit.PanoramaCommit{Force: true}))
	l.change("parts-of-pango", "192.0.2.31")
}

func (l *lab) pushOfAGroup() {
	must(l.run(commit.PanoramaCommitAll{Type: commit.TypeDeviceGroup, Name: "branch", Description: "by hand", IncludeTemplate: true}))
	equal(l.synced("branch"), []string{a, b})
}

func (l *lab) pushToOneFirewall() {
	l.change("one-of-pango", "192.0.2.32")
	must(l.run(commit.PanoramaCommitAll{Type: commit.TypeDeviceGroup, Name: "branch", Devices: []string{b}}))
	equal(l.synced("branch"), []string{b})
}

func (l *lab) pushOfOtherKinds() {
	must(l.run(commit.PanoramaCommitAll{Type: commit.TypeTemplate, Name: "branch-net", ForceTemplateValues: true}))
	must(l.run(commit.PanoramaCommitAll{Type: commit.TypeTemplateStack, Name: "branches", Devices: []string{a}}))
	must(l.run(commit.PanoramaCommitAll{Type: commit.TypeDeviceGroup, Name: "plants"}))
}

func (l *lab) pushOfAParent() {
	must(l.run(commit.PanoramaCommitAll{Type: commit.TypeDeviceGroup, Name: "offices"}))
}

func (l *lab) pushThatAFirewallRefuses() {
	own, ip := address.NewVsysLocation(), "192.0.2.5"
	behind := l.connect(a)
	_, err := address.NewService(behind).Create(context.Background(), *own, &address.Entry{Name: "twin", IpNetmask: &ip})
	must(err)
	id, _, _, err := behind.StartJob(context.Background(), &xmlapi.Commit{Command: commit.FirewallCommit{}, Target: a})
	must(err)
	must(behind.WaitForJob(context.Background(), id, 20*time.Millisecond, nil))
	l.change("twin", ip)
	fails(l.run(commit.PanoramaCommitAll{Type: commit.TypeDeviceGroup, Name: "branch"}), "Commit failed on one or more devices")
	must(address.NewService(behind).Delete(context.Background(), *own, "twin"))
	id, _, _, err = behind.StartJob(context.Background(), &xmlapi.Commit{Command: commit.FirewallCommit{}, Target: a})
	must(err)
	must(behind.WaitForJob(context.Background(), id, 20*time.Millisecond, nil))
	must(l.run(commit.PanoramaCommitAll{Type: commit.TypeDeviceGroup, Name: "branch"}))
	equal(l.synced("branch"), []string{a, b})
}

func (l *lab) pushOfWhatIsNotThere() {
	for _, kind := range []string{commit.TypeDeviceGroup, commit.TypeTemplate, commit.TypeLogCollectorGroup, commit.TypeWildfireAppliance, commit.TypeWildfireCluster} {
		fails(l.run(commit.PanoramaCommitAll{Type: kind, Name: "nobody"}), "not a valid reference")
	}
}

func (l *lab) pushOfCollectors() {
	must(l.run(commit.PanoramaCommitAll{Type: commit.TypeLogCollectorGroup, Name: "collectors"}))
}

func (l *lab) throughTheManager() {
	info, err := l.connect(b).SystemInfo(context.Background())
	must(err)
	equal(info["hostname"], "fw-b")
}

// The provider's actions

func (l *lab) invoke(action string, config map[string]tftypes.Value) error {
	ctx := context.Background()
	made, err := providerserver.NewProtocol6WithError(provider.New("lab")())()
	must(err)
	server := made.(tfprotov6.ProviderServerWithActions)
	schema, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	must(err)
	ready, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: l.value(schema.Provider.ValueType(), map[string]tftypes.Value{
		"hostname": text(l.host), "username": text("admin"), "password": text("admin"),
		"port": tftypes.NewValue(tftypes.Number, int64(l.port)), "skip_verify_certificate": tftypes.NewValue(tftypes.Bool, true),
	})})
	must(err)
	must(errorOf(ready.Diagnostics))
	value := l.value(schema.ActionSchemas[action].Schema.ValueType(), config)
	planned, err := server.PlanAction(ctx, &tfprotov6.PlanActionRequest{ActionType: action, Config: value})
	must(err)
	must(errorOf(planned.Diagnostics))
	stream, err := server.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: action, Config: value})
	must(err)
	for event := range stream.Events {
		if done, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
			return errorOf(done.Diagnostics)
		}
	}
	return fmt.Errorf("%s did not end", action)
}

// Returns a configuration in which all other attributes are null.
func (l *lab) value(kind tftypes.Type, set map[string]tftypes.Value) *tfprotov6.DynamicValue {
	all := map[string]tftypes.Value{}
	for name, each := range kind.(tftypes.Object).AttributeTypes {
		all[name] = tftypes.NewValue(each, nil)
	}
	for name, each := range set {
		all[name] = each
	}
	value, err := tfprotov6.NewDynamicValue(kind, tftypes.NewValue(kind, all))
	must(err)
	return &value
}

func text(value string) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }

func errorOf(diagnostics []*tfprotov6.Diagnostic) error {
	for _, each := range diagnostics {
		if each.Severity == tfprotov6.DiagnosticSeverityError {
			return fmt.Errorf("%s: %s", each.Summary, each.Detail)
		}
	}
	return nil
}

func (l *lab) push(kind, name string, more map[string]tftypes.Value) error {
	config := map[string]tftypes.Value{"type": text(kind), "name": text(name)}
	for key, value := range more {
		config[key] = value
	}
	return l.invoke("panos_push_to_devices", config)
}

func serials(all ...string) tftypes.Value {
	values := []tftypes.Value{}
	for _, each := range all {
		values = append(values, text(each))
	}
	return tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, values)
}

func (l *lab) actionPushesAGroup() {
	l.change("one-of-terraform", "192.0.2.41")
	must(l.push("device_group", "branch", map[string]tftypes.Value{"include_template": tftypes.NewValue(tftypes.Bool, true)}))
	equal(l.synced("branch"), []string{a, b})
}

func (l *lab) actionPushesToOneFirewall() {
	l.change("two-of-terraform", "192.0.2.42")
	must(l.push("device_group", "branch", map[string]tftypes.Value{"devices": serials(b), "description": text("one")}))
	equal(l.synced("branch"), []string{b})
}

func (l *lab) actionPushesOtherKinds() {
	must(l.push("template", "branch-net", nil))
	must(l.push("template_stack", "branches", map[string]tftypes.Value{"force_template_values": tftypes.NewValue(tftypes.Bool, true)}))
	must(l.push("device_group", "plants", nil))
}

func (l *lab) actionPushesWhatIsNotThere() {
	fails(l.push("device_group", "nobody", nil), "not a valid reference")
	fails(l.push("wildfire_cluster", "nobody", nil), "not a valid reference")
}

func (l *lab) actionPushesCollectors() { must(l.push("log_collector_group", "collectors", nil)) }

func (l *lab) actionCommits() {
	group, ip := address.NewDeviceGroupLocation(), "192.0.2.43"
	group.DeviceGroup.DeviceGroup = "branch"
	_, err := address.NewService(l.client).Create(context.Background(), *group, &address.Entry{Name: "three-of-terraform", IpNetmask: &ip})
	must(err)
	must(l.invoke("panos_commit", map[string]tftypes.Value{"description": text("by terraform"), "admins": serials("admin")}))
	equal(l.synced("branch"), []string{})
}

func main() {
	var ready struct {
		Firewall string `json:"firewall"`
	}
	file, err := os.ReadFile(os.Args[1])
	must(err)
	must(json.Unmarshal(file, &ready))
	where, err := url.Parse(ready.Firewall)
	must(err)
	port, err := strconv.Atoi(where.Port())
	must(err)
	l := &lab{host: where.Hostname(), port: int(port)}
	l.client = l.connect("")
	known := map[string]string{
		"pango: virtual systems of a group": "the client takes them for a list of members, managers keep entries",
		"pango: push of collectors":         "the client waits for job 0: a push to local collectors has no job",
		"action: pushes collectors":         "the client waits for job 0: a push to local collectors has no job",
	}
	failed, passed, total := 0, 0, 0
	try := func(name string, run func()) {
		total++
		defer func() {
			why := recover()
			reason, isKnown := known[name]
			switch {
			case why == nil:
				passed++
				fmt.Println("ok    " + name)
			case isKnown:
				fmt.Printf("known %s: %s (%v)\n", name, reason, why)
			default:
				failed++
				fmt.Printf("FAIL  %s: %v\n", name, why)
			}
		}()
		run()
	}
	try("pango: the manager", l.manager)
	try("pango: groups, templates and stacks", l.lists)
	try("pango: virtual systems of a group", l.virtualSystems)
	try("pango: commit", l.commitOfParts)
	try("pango: push of a group", l.pushOfAGroup)
	try("pango: push to one firewall", l.pushToOneFirewall)
	try("pango: push of a template, a stack, virtual systems", l.pushOfOtherKinds)
	try("pango: push of a group without firewalls", l.pushOfAParent)
	try("pango: push that a firewall refuses", l.pushThatAFirewallRefuses)
	try("pango: push of what is not there", l.pushOfWhatIsNotThere)
	try("pango: push of collectors", l.pushOfCollectors)
	try("pango: a firewall through its manager", l.throughTheManager)
	try("action: pushes a group", l.actionPushesAGroup)
	try("action: pushes to one firewall", l.actionPushesToOneFirewall)
	try("action: pushes a template, a stack, virtual systems", l.actionPushesOtherKinds)
	try("action: pushes what is not there", l.actionPushesWhatIsNotThere)
	try("action: pushes collectors", l.actionPushesCollectors)
	try("action: commits", l.actionCommits)
	fmt.Printf("pango and the provider's actions: %d of %d passed\n", passed, total)
	if failed > 0 {
		os.Exit(1)
	}
}
