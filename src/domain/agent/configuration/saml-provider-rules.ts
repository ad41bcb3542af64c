import { type WebUrlFault, webUrlFault } from '../../configuration/schema/web-url.js';
import { agentDefaults } from './agent-configuration.js';
import { keyRisk } from './key-set-url.js';
import type { IdentityProviderOptions, SamlBlockOptions } from './saml-options.js';
import type { SamlReport } from './saml-report.js';

/** Keys that say by themselves what metadata says, and those that are about metadata. */
type ProviderKey =
  | 'idp-sso-url'
  | 'idp-slo-url'
  | 'idp-cert-file'
  | 'idp-metadata-url'
  | 'idp-metadata-cert-file'
  | 'idp-metadata-refresh-secs';

const messageRisk = 'whoever is on the way can see and change what browsers are sent with';

const tell = (key: string, { severity, message, secret, id }: WebUrlFault, report: SamlReport, advice?: string): void =>
  // The place of the block shows nothing of the URL.
  report[severity](`${key} ${message}`, secret ? undefined : key, advice, severity === 'warning' ? id : undefined);

/** Checks a URL that the block names. */
export const checkSamlUrl = (key: string, url: string, risk: string | null, report: SamlReport): void => {
  const fault = webUrlFault(url, risk);
  if (fault !== null) tell(key, fault, report);
};

/** Who can change metadata on the way can sign on as anybody, so without a signature it has to come by https, or from this machine. */
const checkMetadataUrl = (url: string, isSigned: boolean, report: SamlReport): void => {
  const fault = webUrlFault(url, isSigned ? null : keyRisk);
  if (fault === null) return;
  const advice =
    fault.severity === 'error' ? undefined : 'use https, or have its signature checked with idp-metadata-cert-file';
  tell('idp-metadata-url', { ...fault, severity: 'error' }, report, advice);
};

const fromMetadata = (saml: SamlBlockOptions, url: string, report: SamlReport): IdentityProviderOptions => {
  checkMetadataUrl(url, saml.idpMetadataCertFile !== null, report);
  const refuse = (key: ProviderKey, suggestion: string) =>
    report.error(`${key} and idp-metadata-url cannot both be given: the metadata says it`, key, suggestion);
  if (saml.idpCertFile !== null) {
    refuse('idp-cert-file', 'to have the signature of the metadata checked, give idp-metadata-cert-file');
  }
  if (saml.idpSsoUrl !== null) refuse('idp-sso-url', 'leave it out');
  if (saml.idpSloUrl !== null) refuse('idp-slo-url', 'leave it out');
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
      'nothing is said of the identity provider',
      undefined,
      'give idp-metadata-url, or idp-entity-id, idp-sso-url and idp-cert-file',
    );
  } else if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(' and ');
    report.error(`${names} is missing, and there is no idp-metadata-url that would say it`);
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

/** What the block says of the identity provider: where its metadata is, or all that would be in it. */
export const identityProviderOptions = (saml: SamlBlockOptions, report: SamlReport): IdentityProviderOptions =>
  saml.idpMetadataUrl === null ? configured(saml, report) : fromMetadata(saml, saml.idpMetadataUrl, report);
