/** Metadata of an identity provider, written as the products write it: what differs is what the reader must bear. */
export interface MetadataSample {
  readonly product: string;
  readonly text: string;
  readonly entityId: string;
  readonly ssoUrl: string;
  readonly logout: { readonly location: string; readonly responseLocation: string | null } | null;
  readonly certificates: readonly string[];
  readonly wantsSignedRequests: boolean;
}

/** Stand-ins for DER: the reader looks into none of them. */
const signing = 'MIICmzCCAYMCBgF9aaaa';
const nextSigning = 'MIICmzCCAYMCBgF9bbbb';
const encryption = 'MIICmzCCAYMCBgF9cccc';

const keycloak: MetadataSample = {
  product: 'Keycloak',
  entityId: 'https://sso.corp.example/realms/staff',
  ssoUrl: 'https://sso.corp.example/realms/staff/protocol/saml',
  logout: { location: 'https://sso.corp.example/realms/staff/protocol/saml', responseLocation: null },
  certificates: [signing],
  wantsSignedRequests: true,
  text: `<md:EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="https://sso.corp.example/realms/staff"><md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing"><ds:KeyInfo><ds:KeyName>k-2026</ds:KeyName><ds:X509Data><ds:X509Certificate>${signing}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:ArtifactResolutionService Binding="urn:oasis:names:tc:SAML:2.0:bindings:SOAP" Location="https://sso.corp.example/realms/staff/protocol/saml/resolve" index="0"></md:ArtifactResolutionService><md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://sso.corp.example/realms/staff/protocol/saml"></md:SingleLogoutService><md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://sso.corp.example/realms/staff/protocol/saml"></md:SingleLogoutService><md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://sso.corp.example/realms/staff/protocol/saml"></md:SingleSignOnService><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://sso.corp.example/realms/staff/protocol/saml"></md:SingleSignOnService></md:IDPSSODescriptor></md:EntityDescriptor>`,
};

const okta: MetadataSample = {
  product: 'Okta',
  entityId: 'http://www.okta.com/exk1abcdefGHIJKL0h7',
  ssoUrl: 'https://corp.okta.example/app/corp_portal_1/exk1abcdefGHIJKL0h7/sso/saml',
  logout: null,
  certificates: [signing],
  wantsSignedRequests: false,
  text: `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor entityID="http://www.okta.com/exk1abcdefGHIJKL0h7" xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"><md:IDPSSODescriptor WantAuthnRequestsSigned="false" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>MIICmzCC
AYMCBgF9
aaaa</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified</md:NameIDFormat><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://corp.okta.example/app/corp_portal_1/exk1abcdefGHIJKL0h7/sso/saml"/><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://corp.okta.example/app/corp_portal_1/exk1abcdefGHIJKL0h7/sso/saml"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
};

/**
 * Signed at its head, and with WS-Federation roles beside the one that counts; two keys while one follows the other.
 */
const entra: MetadataSample = {
  product: 'Entra',
  entityId: 'https://sts.windows.net/11111111-2222-3333-4444-555555555555/',
  ssoUrl: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/saml2',
  logout: {
    location: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/saml2',
    responseLocation: null,
  },
  certificates: [signing, nextSigning],
  wantsSignedRequests: false,
  text: `<?xml version="1.0" encoding="utf-8"?><EntityDescriptor ID="_7c1" entityID="https://sts.windows.net/11111111-2222-3333-4444-555555555555/" xmlns="urn:oasis:names:tc:SAML:2.0:metadata"><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo><CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#" /></SignedInfo><KeyInfo><X509Data><X509Certificate>MIIForeign</X509Certificate></X509Data></KeyInfo></Signature><RoleDescriptor xsi:type="fed:SecurityTokenServiceType" protocolSupportEnumeration="http://docs.oasis-open.org/wsfed/federation/200706" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:fed="http://docs.oasis-open.org/wsfed/federation/200706"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>MIIForeign</X509Certificate></X509Data></KeyInfo></KeyDescriptor><fed:ClaimTypesOffered><auth:ClaimType Uri="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name" xmlns:auth="http://docs.oasis-open.org/wsfed/authorization/200706"><auth:DisplayName>Name</auth:DisplayName></auth:ClaimType></fed:ClaimTypesOffered></RoleDescriptor><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${signing}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${nextSigning}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/saml2" /><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/saml2" /><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/saml2" /></IDPSSODescriptor></EntityDescriptor>`,
};

/** Both roles in one entity, attributes that it offers, and a contact. */
const adfs: MetadataSample = {
  product: 'ADFS',
  entityId: 'http://adfs.corp.example/adfs/services/trust',
  ssoUrl: 'https://adfs.corp.example/adfs/ls/',
  logout: { location: 'https://adfs.corp.example/adfs/ls/', responseLocation: null },
  certificates: [signing],
  wantsSignedRequests: false,
  text: `<EntityDescriptor ID="_b2f0" entityID="http://adfs.corp.example/adfs/services/trust" xmlns="urn:oasis:names:tc:SAML:2.0:metadata"><SPSSODescriptor WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>MIIForeign</X509Certificate></X509Data></KeyInfo></KeyDescriptor><AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://adfs.corp.example/adfs/ls/" index="0" isDefault="true" /></SPSSODescriptor><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="encryption"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${encryption}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${signing}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://adfs.corp.example/adfs/ls/" /><SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://adfs.corp.example/adfs/ls/" /><NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</NameIDFormat><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://adfs.corp.example/adfs/ls/" /><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://adfs.corp.example/adfs/ls/" /><Attribute Name="http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri" FriendlyName="UPN" xmlns="urn:oasis:names:tc:SAML:2.0:assertion" /></IDPSSODescriptor><ContactPerson contactType="support" /></EntityDescriptor>`,
};

/** A key for any use; white space around the certificate. */
const simpleSamlPhp: MetadataSample = {
  product: 'SimpleSAMLphp',
  entityId: 'https://login.corp.example/simplesaml/saml2/idp/metadata.php',
  ssoUrl: 'https://login.corp.example/simplesaml/module.php/saml/idp/singleSignOnService?realm=a&idp=b',
  logout: {
    location: 'https://login.corp.example/simplesaml/module.php/saml/idp/singleLogout',
    responseLocation: 'https://login.corp.example/simplesaml/module.php/saml/idp/singleLogoutReturn',
  },
  certificates: [signing],
  wantsSignedRequests: true,
  text: `<?xml version="1.0"?>
<!-- made by hand, then by the program -->
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="https://login.corp.example/simplesaml/saml2/idp/metadata.php">
  <md:IDPSSODescriptor WantAuthnRequestsSigned="1" protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol
    urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor>
      <ds:KeyInfo>
        <ds:X509Data>
          <ds:X509Certificate>
            <!-- the certificate -->
            MIICmzCCAYMC
            BgF9aaaa
          </ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>
    </md:KeyDescriptor>
    <md:KeyDescriptor use="encryption">
      <ds:KeyInfo><ds:X509Data><ds:X509Certificate>${encryption}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>
    </md:KeyDescriptor>
    <md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://login.corp.example/simplesaml/module.php/saml/idp/singleLogout" ResponseLocation="https://login.corp.example/simplesaml/module.php/saml/idp/singleLogoutReturn"/>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:transient</md:NameIDFormat>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://login.corp.example/simplesaml/module.php/saml/idp/singleSignOnService?realm=a&amp;idp=b"/>
  </md:IDPSSODescriptor>
  <md:Organization>
    <md:OrganizationName xml:lang="fr">Société &amp; Cie</md:OrganizationName>
    <md:OrganizationDisplayName xml:lang="fr"><![CDATA[Société & <Cie>]]></md:OrganizationDisplayName>
    <md:OrganizationURL xml:lang="fr">https://corp.example/</md:OrganizationURL>
  </md:Organization>
</md:EntityDescriptor>
`,
};

/** SAML 1.1 beside 2.0, a scope in an extension, back channels with keys of their own, and an attribute authority. */
const shibboleth: MetadataSample = {
  product: 'Shibboleth',
  entityId: 'https://idp.university.example/idp/shibboleth',
  ssoUrl: 'https://idp.university.example/idp/profile/SAML2/Redirect/SSO',
  logout: { location: 'https://idp.university.example/idp/profile/SAML2/Redirect/SLO', responseLocation: null },
  certificates: [nextSigning, signing],
  wantsSignedRequests: false,
  text: `<?xml version="1.0" encoding="UTF-8"?>
<!--
     This is example metadata only. Do *NOT* supply it as is without review.
     It is valid as <md:IDPSSODescriptor/> of nobody.
-->
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:shibmd="urn:mace:shibboleth:metadata:1.0" xmlns:xml="http://www.w3.org/XML/1998/namespace" xmlns:mdui="urn:oasis:names:tc:SAML:metadata:ui" entityID="https://idp.university.example/idp/shibboleth">
    <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol urn:oasis:names:tc:SAML:1.1:protocol urn:mace:shibboleth:1.0">
        <Extensions>
            <shibmd:Scope regexp="false">university.example</shibmd:Scope>
            <mdui:UIInfo><mdui:DisplayName xml:lang="en">A Name for the IdP &#8212; staff</mdui:DisplayName></mdui:UIInfo>
        </Extensions>
        <!-- First signing certificate is BackChannel, the Second is FrontChannel -->
        <KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>
${nextSigning}
        </ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>
        <KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>
${signing}
        </ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>
        <KeyDescriptor use="encryption"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${encryption}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>
        <ArtifactResolutionService Binding="urn:oasis:names:tc:SAML:2.0:bindings:SOAP" Location="https://idp.university.example:8443/idp/profile/SAML2/SOAP/ArtifactResolution" index="2"/>
        <SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.university.example/idp/profile/SAML2/Redirect/SLO"/>
        <SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:SOAP" Location="https://idp.university.example:8443/idp/profile/SAML2/SOAP/SLO"/>
        <SingleSignOnService Binding="urn:mace:shibboleth:1.0:profiles:AuthnRequest" Location="https://idp.university.example/idp/profile/Shibboleth/SSO"/>
        <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST-SimpleSign" Location="https://idp.university.example/idp/profile/SAML2/POST-SimpleSign/SSO"/>
        <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.university.example/idp/profile/SAML2/Redirect/SSO"/>
    </IDPSSODescriptor>
    <AttributeAuthorityDescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:1.1:protocol">
        <KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>MIIForeign</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>
    </AttributeAuthorityDescriptor>
</EntityDescriptor>
`,
};

export const metadataSamples: readonly MetadataSample[] = [keycloak, okta, entra, adfs, simpleSamlPhp, shibboleth];

/** The same document without its XML declaration, to be put into another. */
const withoutDeclaration = (text: string): string => text.replace(/^<\?xml[^>]*>/, '');

/** Metadata of a federation that has all of the samples, one group within another. */
export const federationOf = (samples: readonly MetadataSample[], attributes = '', innerAttributes = ''): string =>
  `<f:EntitiesDescriptor xmlns:f="urn:oasis:names:tc:SAML:2.0:metadata" ${attributes}><f:EntitiesDescriptor Name="members" ${innerAttributes}>${samples
    .map(({ text }) => withoutDeclaration(text))
    .join('')}</f:EntitiesDescriptor></f:EntitiesDescriptor>`;
