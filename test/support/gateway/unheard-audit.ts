import type { RequestAudit } from '../../../src/application/gateway/audit/audit-trail.js';

/** Where no audit log is kept. */
export const unheardAudit: RequestAudit = { decided: () => undefined, undecided: () => undefined };
