import {
  type AgentAnswer,
  type AgentAudit,
  type AgentDecision,
  emptyAudit,
  type HeaderOperation,
} from '../../../domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import { isJsonObject, type JsonObject } from '../../../domain/shared/json.js';
import {
  count,
  type FieldKind,
  flag,
  float,
  kindWithDefault,
  listOf,
  number,
  octets,
  optionalKind,
  readObject,
  singleHeaders,
  textKind,
  textMap,
  texts,
} from './field-kinds.js';
import {
  Choice,
  type Describes,
  field,
  fixed,
  type GrpcOfKind,
  grpcField,
  message,
  oneof,
  socketField,
  type ValueOf,
} from './message-table.js';

const decisions = new Choice(
  {
    allow: field(message({}), 'allow', 2),
    block: field(
      message({
        status: field(count('small'), 'status', 1),
        body: field(optionalKind(textKind), 'body', 2),
        headers: field(singleHeaders, 'headers', 3),
      }),
      'block',
      3,
    ),
    redirect: field(
      message({ url: field(textKind, 'url', 1), status: field(count('small'), 'status', 2) }),
      'redirect',
      4,
    ),
    challenge: field(
      message({ challengeType: field(textKind, 'challenge_type', 1), params: field(textMap, 'params', 2) }),
      'challenge',
      5,
    ),
  },
  { jsonFault: '"decision" is unknown', grpcFault: 'it has no decision or several' },
);

/**
 * Missing or multiple decisions are malformed; the published service would treat them as an allow.
 */
const decision: FieldKind<AgentDecision, GrpcOfKind<typeof decisions>> = {
  shape: decisions.shape,
  fromJson: (value, name) => (value === 'allow' ? { kind: 'allow' } : decisions.fromJson(value, name)),
  toJson: (value) => (value.kind === 'allow' ? 'allow' : decisions.toJson(value)),
  fromGrpc: (value, name, isChecked) => decisions.fromGrpc(value, name, isChecked),
  toGrpc: (value) => decisions.toGrpc(value),
};

const header = message({ name: field(textKind, 'name', 1), value: field(textKind, 'value', 2) });
const headerName = message({ name: field(textKind, 'name', 1) });

/** gRPC has the name of a header to remove as a plain string. */
const removedHeader: FieldKind<ValueOf<typeof headerName.fields>, string> = {
  shape: 'text',
  fromJson: (value, name) => headerName.fromJson(value, name),
  toJson: (value) => headerName.toJson(value),
  fromGrpc: (value, name, isChecked) => ({ name: textKind.fromGrpc(value, name, isChecked) }),
  toGrpc: ({ name }) => name,
};

const headerOperation = new Choice(
  { set: field(header, 'set', 1), add: field(header, 'add', 2), remove: field(removedHeader, 'remove', 3) },
  { jsonFault: 'a header operation is unknown', grpcFault: 'a header operation is unknown' },
) satisfies Describes<HeaderOperation>;

const idMember = 'correlation_id';

const withoutId = ({
  [idMember]: _,
  ...customFields
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> => customFields;

/**
 * Custom audit fields. On the socket they contain the id of the call. Non-string values are
 * dropped.
 */
const customFields: typeof textMap = {
  ...textMap,
  fromJson(value, name) {
    const entries = Object.entries(readObject(value ?? {}, name)).filter(
      ([key, text]) => key !== idMember && typeof text === 'string',
    );
    return entries.length === 0 ? emptyAudit.custom : (Object.fromEntries(entries) as Record<string, string>);
  },
  toJson: withoutId,
  fromGrpc: (value) => withoutId(value ?? {}),
};

const audit = message({
  tags: field(texts, 'tags', 1),
  ruleIds: field(texts, 'rule_ids', 2),
  confidence: field(optionalKind(float), 'confidence', 3),
  reasonCodes: field(texts, 'reason_codes', 4),
  custom: field(customFields, 'custom', 5),
}) satisfies Describes<AgentAudit>;

/**
 * Null data passes the chunk, empty data drops it, other data replaces it. A missing index means
 * the first chunk.
 */
const bodyMutation = optionalKind(
  message({
    data: socketField(optionalKind(octets), 'data'),
    chunkIndex: socketField(kindWithDefault(count('large'), 0), 'chunk_index'),
  }),
);

const version = 2;

/**
 * An agent's answer. The id of the call is in the audit on the socket and a separate field on gRPC,
 * which lacks body mutations.
 */
export const agentResponse = message(
  {
    version: fixed('version', version, (value) => value === version, '"version" is not 2'),
    decision: oneof(decision, 'decision'),
    requestHeaders: field(listOf(headerOperation), 'request_headers', 10),
    responseHeaders: field(listOf(headerOperation), 'response_headers', 11),
    routing: fixed('routing_metadata', {}),
    audit: field(kindWithDefault(audit, emptyAudit), 'audit', 12),
    needsMore: field(kindWithDefault(flag, false), 'needs_more', 14),
    requestBodyMutation: socketField(bodyMutation, 'request_body_mutation'),
    responseBodyMutation: socketField(bodyMutation, 'response_body_mutation'),
    webSocket: fixed('websocket_decision', null, (value) => value === 'allow', '"websocket_decision" is not "allow"'),
  },
  {
    correlationId: grpcField(textKind, 'correlation_id', 1),
    processingTimeMs: grpcField(optionalKind(number('large')), 'processing_time_ms', 13),
  },
) satisfies Describes<AgentAnswer>;

export type GrpcAgentResponse = ReturnType<typeof agentResponse.toGrpc>;

/**
 * The id of the call of an answer on the socket: from the audit, or else the top level; null if
 * absent.
 */
export const answeredId = (object: JsonObject): string | null => {
  const { audit, correlation_id: atTop } = object;
  const custom = isJsonObject(audit) ? audit['custom'] : undefined;
  const inAudit = isJsonObject(custom) ? custom[idMember] : undefined;
  if (typeof inAudit === 'string') return inAudit;
  return typeof atTop === 'string' ? atTop : null;
};

/** Headers of a block with a repeated name, which the JSON object cannot hold. */
const repeatedHeaders = (headers: HeaderList): readonly HeaderOperation[] => {
  const operations: HeaderOperation[] = [];
  const seen = new Set<string>();
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (seen.has(name)) operations.push({ kind: 'add', name, value: headers[index + 1] as string });
    seen.add(name);
  }
  return operations;
};

/** An answer for the socket, without the id of its call. */
export const writeAnswerJson = (answer: AgentAnswer): JsonObject => {
  const { decision, responseHeaders } = answer;
  if (decision.kind !== 'block' || decision.headers.length <= 2) return agentResponse.toJson(answer);
  return agentResponse.toJson({
    ...answer,
    responseHeaders: [...repeatedHeaders(decision.headers), ...responseHeaders],
  });
};

/** Whether an answer changes a body, which gRPC does not support. */
export const changesBody = ({ requestBodyMutation, responseBodyMutation }: AgentAnswer): boolean =>
  (requestBodyMutation?.data ?? null) !== null || (responseBodyMutation?.data ?? null) !== null;
