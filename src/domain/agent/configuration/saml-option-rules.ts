import { type WebUrlFault, webUrlFault } from '../../configuration/schema/web-url.js';
import { agentDefaults } from './agent-configuration.js';
import { keyRisk } from './key-set-url.js';
import { type OptionReport, type SamlReport, samlReport } from './option-report.js';
import type { IdentityProviderOptions, SamlBlockOptions, SamlOptions } from './saml-options.js';
import { checkSamlPaths } from './saml-path-rules.js';

/** Keys that replace metadata, and keys about metadata. */
type ProviderKey =
  | 'idp-sso-url'
  | 'idp-slo-url'
  | 'idp-cert-file'
  | 'idp-metadata-url'
  | 'idp-metadata-cert-file'
  | 'idp-metadata-refresh-secs';

const messageRisk = 'an attacker on the network can read and change messages';

const tell = (key: string, { severity, message, secret, id }: WebUrlFault, report: SamlReport, advice?: string): void =>
  // The position of the block reveals nothing of the URL.
  report[severity](`${key} ${message}`, secret ? undefined : key, advice, severity === 'warning' ? id : undefined);

/** Checks a URL of the block. */
const checkSamlUrl = (key: string, url: string, risk: string | null, report: SamlReport): void => {
  const fault = webUrlFault(url, risk);
  if (fault !== null) tell(key, fault, report);
};

/**
 * Changed metadata would let an attacker sign on as any user, so unsigned metadata must come by https or from this
 * machine.
 */
const checkMetadataUrl = (url: string, isSigned: boolean, report: SamlReport): void => {
  const fault = webUrlFault(url, isSigned ? null : keyRisk);
  if (fault === null) return;
  const advice =
    fault.severity === 'error' ? undefined : 'use https, or set idp-metadata-cert-file to check the signature';
  tell('idp-metadata-url', { ...fault, severity: 'error' }, report, advice);
};

const fromMetadata = (saml: SamlBlockOptions, url: string, report: SamlReport): IdentityProviderOptions => {
  checkMetadataUrl(url, saml.idpMetadataCertFile !== null, report);
  const refuse = (key: ProviderKey, suggestion: string) =>
    report.error(`${key} and idp-metadata-url cannot both be set: the metadata contains it`, key, suggestion);
  if (saml.idpCertFile !== null) {
    refuse('idp-cert-file', 'to check the signature of the metadata, set idp-metadata-cert-file');
  }
  if (saml.idpSsoUrl !== null) refuse('idp-sso-url', 'remove it');
  if (saml.idpSloUrl !== null) refuse('idp-slo-url', 'remove it');
  return {
    kind: 'metadata',
    url,
    entityId: saml.idpEntityId,
    certificateFile: saml.idpMetadataCertFile,
    refreshMs: saml.idpMetadataRefreshMs ?? agentDefaults.metadataRefreshMs,
  };
};

const configured = (saml: SamlBlockOptions, report: SamlReport): IdentityProviderOptions => {
  const { idpEntityId, idpSsoUrl, idpSloUrl, idpCertFile } = saml;
  if (saml.idpMetadataCertFile !== null) {
    report.error('idp-metadata-cert-file has no effect without idp-metadata-url', 'idp-metadata-cert-file');
  }
  if (saml.idpMetadataRefreshMs !== null) {
    report.error('idp-metadata-refresh-secs has no effect without idp-metadata-url', 'idp-metadata-refresh-secs');
  }
  const missing = (
    [
      ['idp-entity-id', idpEntityId],
      ['idp-sso-url', idpSsoUrl],
      ['idp-cert-file', idpCertFile],
    ] as const
  ).filter(([, value]) => value === null);
  if (missing.length === 3) {
    report.error(
      'the identity provider is not configured',
      undefined,
      'set idp-metadata-url, or idp-entity-id, idp-sso-url and idp-cert-file',
    );
  } else if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(' and ');
    report.error(`${names} is missing, and idp-metadata-url is not set`);
  }
  if (idpSsoUrl !== null) checkSamlUrl('idp-sso-url', idpSsoUrl, messageRisk, report);
  if (idpSloUrl !== null) checkSamlUrl('idp-slo-url', idpSloUrl, messageRisk, report);
  return {
    kind: 'configured',
    entityId: idpEntityId ?? '',
    ssoUrl: idpSsoUrl ?? '',
    logoutUrl: idpSloUrl,
    certificateFile: idpCertFile ?? '',
  };
};

/** The identity provider options: the location of its metadata, or the equivalent values. */
const identityProviderOptions = (saml: SamlBlockOptions, report: SamlReport): IdentityProviderOptions =>
  saml.idpMetadataUrl === null ? configured(saml, report) : fromMetadata(saml, saml.idpMetadataUrl, report);

/** Maximum mapped headers of an identity: user id and method use two more. */
const maximumMapped = 62;

const acsRisk = 'an attacker on the network can steal responses and cookies, and browsers reject Secure cookies';

const checkAcsUrl = ({ acsUrl }: SamlBlockOptions, report: SamlReport): void => {
  checkSamlUrl('acs-url', acsUrl, acsRisk, report);
  if (acsUrl.includes('?')) report.error('acs-url must not contain a query', 'acs-url');
};

const serviceProviderKey = (
  { spKeyFile: keyFile, spCertFile: certificateFile }: SamlBlockOptions,
  report: SamlReport,
): SamlOptions['serviceProviderKey'] => {
  if (keyFile === null && certificateFile === null) return null;
  if (keyFile !== null && certificateFile !== null) return { keyFile, certificateFile };
  const [given, missing] = keyFile === null ? ['sp-cert-file', 'sp-key-file'] : ['sp-key-file', 'sp-cert-file'];
  report.error(`${given} is set without ${missing}; set both`, given);
  return null;
};

const checkUserId = ({ nameIdFormat, userIdAttribute }: SamlBlockOptions, report: SamlReport): void => {
  if (userIdAttribute !== null || nameIdFormat?.endsWith(':transient') !== true) return;
  const message = 'name-id-format transient gives a user a new name at each sign-on, so user ids do not last';
  report.warning(message, 'name-id-format', 'set user-id-attribute');
};

const checkForcedAuthentication = ({ forceAuthn, allowIdpInitiated }: SamlBlockOptions, report: SamlReport): void => {
  if (!forceAuthn || !allowIdpInitiated) return;
  const message = 'force-authn cannot be enforced with allow-idp-initiated, which accepts unsolicited responses';
  report.error(message, 'force-authn', 'remove one of the two');
};

const weaknesses = ({ browserBinding, allowIdpInitiated }: SamlBlockOptions, report: SamlReport): void => {
  if (!browserBinding) {
    const message = 'browser-binding is #false: any user can secretly sign another browser on to their own account';
    report.warning(message, 'browser-binding', undefined, 'sign-on-is-not-bound');
  }
  if (allowIdpInitiated) {
    const message =
      'allow-idp-initiated is #true: any site can sign a browser on to an account of its choice, and responses are not bound to a browser';
    report.warning(message, 'allow-idp-initiated', undefined, 'sign-on-unasked-for');
  }
};

/** Checks the `saml` block except the mapped headers; null if it is not enabled. */
export const enabledSaml = (
  saml: SamlBlockOptions | undefined,
  error: OptionReport,
  warn: OptionReport,
): SamlOptions | null => {
  if (saml === undefined) return null;
  const report = samlReport(error, warn);
  checkAcsUrl(saml, report);
  checkSamlPaths(saml, report);
  checkUserId(saml, report);
  checkForcedAuthentication(saml, report);
  if (saml.attributeMapping.length > maximumMapped) {
    report.error(`attribute-mapping has more than ${maximumMapped} headers`, 'attribute-mapping');
  }
  const options: SamlOptions = {
    entityId: saml.entityId,
    acsUrl: saml.acsUrl,
    acsPath: saml.acsPath,
    metadataPath: saml.metadataPath,
    logoutPath: saml.logoutPath,
    signedOutPath: saml.signedOutPath,
    identityProvider: identityProviderOptions(saml, report),
    serviceProviderKey: serviceProviderKey(saml, report),
    nameIdFormat: saml.nameIdFormat,
    authnContexts: saml.authnContexts,
    forceAuthn: saml.forceAuthn,
    allowIdpInitiated: saml.allowIdpInitiated,
    browserBinding: saml.browserBinding,
    userIdAttribute: saml.userIdAttribute,
    attributeMapping: saml.attributeMapping,
    clockSkewMs: saml.clockSkewMs,
    protectedPaths: saml.protectedPaths,
    excludedPaths: saml.excludedPaths,
  };
  if (!saml.enabled) {
    report.warning(
      'it is disabled: sign-on is impossible, and no session is accepted',
      'enabled',
      'set enabled to #true',
    );
    return null;
  }
  weaknesses(saml, report);
  return options;
};
