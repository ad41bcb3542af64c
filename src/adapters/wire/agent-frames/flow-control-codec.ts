import {
  type FlowControl,
  type FlowControlAction,
  flowControlCodes,
} from '../../../domain/agent-protocol/flow-control.js';
import type { JsonObject } from '../../../domain/shared/json.js';
import { readCount, readOptionalCount, readOptionalText } from './json-fields.js';
import { MalformedMessage } from './malformed-message.js';

const actions: ReadonlyMap<number, FlowControlAction> = new Map(
  (Object.keys(flowControlCodes) as FlowControlAction[]).map((action) => [flowControlCodes[action], action]),
);

export const readFlowControl = (object: JsonObject): FlowControl => {
  const action = actions.get(readCount(object, 'action'));
  if (action === undefined) throw new MalformedMessage('"action" is none');
  return {
    correlationId: readOptionalText(object, 'correlation_id'),
    action,
    bufferAvailable: readOptionalCount(object, 'buffer_available'),
  };
};
