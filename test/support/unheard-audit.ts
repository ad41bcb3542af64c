import type { RequestAudit } from '../../src/application/keep-audit/audit-trail.js';

/** Where no audit log is kept. */
export const unheardAudit: RequestAudit = { judged: () => undefined, undecided: () => undefined };
