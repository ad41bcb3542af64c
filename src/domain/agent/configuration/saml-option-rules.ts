import type { OptionReport } from './option-report.js';
import type { SamlBlockOptions, SamlOptions } from './saml-options.js';
import { checkSamlPaths } from './saml-path-rules.js';
import { checkSamlUrl, identityProviderOptions } from './saml-provider-rules.js';
import { type SamlReport, samlReport } from './saml-report.js';
import { checkSessions, sessionStoreOptions } from './saml-session-rules.js';

/** Headers of one identity that attributes are mapped to, at the most: user id and method have two more. */
const maximumMapped = 62;

const acsRisk = 'whoever is on the way can take responses and cookies, and browsers keep no cookie that is Secure';

const checkAcsUrl = ({ acsUrl }: SamlBlockOptions, report: SamlReport): void => {
  checkSamlUrl('acs-url', acsUrl, acsRisk, report);
  if (acsUrl.includes('?')) report.error('acs-url must not hold a query', 'acs-url');
};

const serviceProviderKey = (
  { spKeyFile: keyFile, spCertFile: certificateFile }: SamlBlockOptions,
  report: SamlReport,
): SamlOptions['serviceProviderKey'] => {
  if (keyFile === null && certificateFile === null) return null;
  if (keyFile !== null && certificateFile !== null) return { keyFile, certificateFile };
  const [given, missing] = keyFile === null ? ['sp-cert-file', 'sp-key-file'] : ['sp-key-file', 'sp-cert-file'];
  report.error(`${given} is given without ${missing}: they belong together`, given);
  return null;
};

const checkUserId = ({ nameIdFormat, userIdAttribute }: SamlBlockOptions, report: SamlReport): void => {
  if (userIdAttribute !== null || nameIdFormat?.endsWith(':transient') !== true) return;
  const message = 'name-id-format transient names a user anew at each sign-on: no user id lasts';
  report.warning(message, 'name-id-format', 'give user-id-attribute');
};

const checkForcedAuthentication = ({ forceAuthn, allowIdpInitiated }: SamlBlockOptions, report: SamlReport): void => {
  if (!forceAuthn || !allowIdpInitiated) return;
  const message = 'force-authn cannot be kept where allow-idp-initiated takes responses that nobody has asked for';
  report.error(message, 'force-authn', 'take one of the two out');
};

const weaknesses = ({ browserBinding, allowIdpInitiated }: SamlBlockOptions, report: SamlReport): void => {
  if (!browserBinding) {
    const message =
      'browser-binding is #false: whoever has an account can make another browser end a sign-on to it, unnoticed';
    report.warning(message, 'browser-binding', undefined, 'sign-on-is-not-bound');
  }
  if (allowIdpInitiated) {
    const message =
      'allow-idp-initiated is #true: any site can sign a browser on to an account of its choice, and a response is bound to no browser';
    report.warning(message, 'allow-idp-initiated', undefined, 'sign-on-unasked-for');
  }
};

/** Checks the `saml` block, but for the headers that it maps to; null where it is not enabled. */
export const enabledSaml = (
  saml: SamlBlockOptions | undefined,
  error: OptionReport,
  warn: OptionReport,
): SamlOptions | null => {
  if (saml === undefined) return null;
  const report = samlReport(error, warn);
  checkAcsUrl(saml, report);
  checkSamlPaths(saml, report);
  checkSessions(saml, report);
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
    sessionTtlMs: saml.sessionTtlMs,
    sessionIdleMs: saml.sessionIdleMs,
    clockSkewMs: saml.clockSkewMs,
    cleanupIntervalMs: saml.cleanupIntervalMs,
    store: sessionStoreOptions(saml, report),
    cookie: {
      name: saml.cookieName,
      secure: saml.cookieSecure,
      httpOnly: saml.cookieHttpOnly,
      sameSite: saml.cookieSameSite,
    },
    protectedPaths: saml.protectedPaths,
    excludedPaths: saml.excludedPaths,
  };
  if (!saml.enabled) {
    report.warning(
      'it is not enabled: nobody can sign on, and no session is accepted',
      'enabled',
      'set enabled to #true',
    );
    return null;
  }
  weaknesses(saml, report);
  return options;
};
