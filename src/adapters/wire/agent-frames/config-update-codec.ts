import type { ConfigUpdate, ConfigUpdateRequest } from '../../../domain/agent-protocol/config-update.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { readObject, readOptionalText, readText } from './json-fields.js';
import { MalformedMessage } from './malformed-message.js';

const readUpdate = (update: JsonObject): ConfigUpdate => {
  const kind = readText(update, 'type');
  switch (kind) {
    case 'request_reload':
    case 'rule_update':
    case 'list_update':
      return { kind };
    case 'config_error':
      return { kind, error: readText(update, 'error'), field: readOptionalText(update, 'field') };
    case 'restart_required':
      return { kind, reason: readText(update, 'reason') };
    default:
      throw new MalformedMessage('"type" is none');
  }
};

export const readConfigUpdate = (object: JsonObject): ConfigUpdateRequest => ({
  requestId: readText(object, 'request_id'),
  update: readUpdate(readObject(object, 'update_type')),
});
