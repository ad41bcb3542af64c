import type { AuditLogOpener } from '../../application/ports/gateway/audit-log-opener.js';
import type { AuditLog } from '../../application/ports/shared/audit-log.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import { ok } from '../../domain/shared/result.js';

/**
 * Opens audit logs, on standard output with the other logs or in a file. Loads the file adapter on
 * demand.
 */
export const auditLogs =
  (openOutputLog: () => AuditLog, logger: Logger): AuditLogOpener =>
  async ({ output }) => {
    if (output.kind === 'stdout') return ok(openOutputLog());
    const { openAuditFile } = await import('../../adapters/outbound/audit-file/open-audit-file.js');
    return openAuditFile(output.path, logger);
  };
