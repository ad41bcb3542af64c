import type { LogFields } from '../../../application/ports/shared/logger.js';
import { isSecretName } from '../../../domain/shared/secret-name.js';

/** Members that a record has of its own. */
export const recordMembers: ReadonlySet<string> = new Set(['time', 'level', 'message']);

/** The fields with credentials masked, and named so that none takes the place of a member that every record has. */
export const maskedFields = (fields: LogFields, ownMembers: ReadonlySet<string> = recordMembers): LogFields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      ownMembers.has(name) ? `${name}_` : name,
      isSecretName(name) && value !== null ? '[secret]' : value,
    ]),
  );
