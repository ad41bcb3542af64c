import type { AuditConfiguration } from '../../../domain/gateway/configuration/audit-schema.js';
import type { Result } from '../../../domain/shared/result.js';
import type { AuditLog } from '../shared/audit-log.js';

/** Opens the configured audit log. The error is one clause that says what to do. */
export type AuditLogOpener = (audit: AuditConfiguration) => Promise<Result<AuditLog, string>>;
