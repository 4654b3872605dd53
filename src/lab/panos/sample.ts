/** Default configuration of a lab firewall: two zones, a few objects and one rule. */
export const SAMPLE = `<config version="11.1.0" urldb="paloaltonetworks">
  <mgt-config>
    <users><entry name="admin"><permissions><role-based><superuser>yes</superuser></role-based></permissions></entry></users>
  </mgt-config>
  <shared/>
  <devices>
    <entry name="localhost.localdomain">
      <deviceconfig><system><hostname>lab-fw</hostname><ip-address>192.0.2.1</ip-address><netmask>255.255.255.0</netmask></system></deviceconfig>
      <network>
        <interface><ethernet>
          <entry name="ethernet1/1"><layer3><ip><entry name="198.51.100.1/24"/></ip></layer3></entry>
          <entry name="ethernet1/2"><layer3><ip><entry name="10.0.0.1/24"/></ip></layer3></entry>
        </ethernet></interface>
      </network>
      <vsys>
        <entry name="vsys1">
          <import><network><interface><member>ethernet1/1</member><member>ethernet1/2</member></interface></network></import>
          <zone>
            <entry name="untrust"><network><layer3><member>ethernet1/1</member></layer3></network></entry>
            <entry name="trust"><network><layer3><member>ethernet1/2</member></layer3></network></entry>
          </zone>
          <address><entry name="web-1"><ip-netmask>10.0.0.10</ip-netmask></entry><entry name="web-2"><ip-netmask>10.0.0.11</ip-netmask></entry></address>
          <address-group><entry name="web"><static><member>web-1</member><member>web-2</member></static></entry></address-group>
          <rulebase><security><rules>
            <entry name="allow-web" uuid="3f6f0a52-4d6e-4f6b-8b43-0e2a3a0f0001">
              <from><member>untrust</member></from><to><member>trust</member></to>
              <source><member>any</member></source><destination><member>web</member></destination>
              <source-user><member>any</member></source-user>
              <application><member>web-browsing</member></application><service><member>application-default</member></service>
              <action>allow</action>
            </entry>
          </rules></security></rulebase>
        </entry>
      </vsys>
    </entry>
  </devices>
</config>`;
