import type { AuditLog, AuditLogOpener } from '../../application/ports/gateway/audit-log.js';
import type { Logger } from '../../application/ports/shared/logger.js';
import { ok } from '../../domain/shared/result.js';

/**
 * Opens audit logs: among the lines of the log, or in a file; what files take is loaded where one
 * is configured.
 */
export const auditLogs =
  (amongOthers: () => AuditLog, logger: Logger): AuditLogOpener =>
  async ({ output }) => {
    if (output.kind === 'stdout') return ok(amongOthers());
    const { openAuditFile } = await import('../../adapters/outbound/audit-file/open-audit-file.js');
    return openAuditFile(output.path, logger);
  };
