import { statementInContext } from './authentication-context.js';
import type { ResponseCheck } from './response-check.js';

/** Requires one of the requested authentication contexts (SAML core, section 3.3.2.2.1). */
export const checkAuthenticationContext: ResponseCheck = ({ assertion }, { authnContexts }) =>
  statementInContext(assertion.authentication, authnContexts) === null ? 'wrong_authentication_context' : null;
