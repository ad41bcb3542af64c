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
  { jsonFault: '"decision" is none', grpcFault: 'it has no decision, or several' },
);

/** An absent decision is malformed, and so are two: the published service would take them for an allow. */
const decision: FieldKind<AgentDecision, GrpcOfKind<typeof decisions>> = {
  shape: decisions.shape,
  fromJson: (value, name) => (value === 'allow' ? { kind: 'allow' } : decisions.fromJson(value, name)),
  toJson: (value) => (value.kind === 'allow' ? 'allow' : decisions.toJson(value)),
  fromGrpc: (value, name, isChecked) => decisions.fromGrpc(value, name, isChecked),
  toGrpc: (value) => decisions.toGrpc(value),
};

const header = message({ name: field(textKind, 'name', 1), value: field(textKind, 'value', 2) });
const headerName = message({ name: field(textKind, 'name', 1) });

/** The name of a header to remove stands by itself on gRPC. */
const removedHeader: FieldKind<ValueOf<typeof headerName.fields>, string> = {
  shape: 'text',
  fromJson: (value, name) => headerName.fromJson(value, name),
  toJson: (value) => headerName.toJson(value),
  fromGrpc: (value, name, isChecked) => ({ name: textKind.fromGrpc(value, name, isChecked) }),
  toGrpc: ({ name }) => name,
};

const headerOperation = new Choice(
  { set: field(header, 'set', 1), add: field(header, 'add', 2), remove: field(removedHeader, 'remove', 3) },
  { jsonFault: 'a header operation is none', grpcFault: 'a header operation is none' },
) satisfies Describes<HeaderOperation>;

const idMember = 'correlation_id';

const withoutId = ({ [idMember]: _, ...remarks }: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  remarks;

/** The id of the call stands among them on the socket. What else is no textKind is left out. */
const remarks: typeof textMap = {
  ...textMap,
  fromJson(value, name) {
    const entries = Object.entries(readObject(value ?? {}, name)).filter(
      ([key, remark]) => key !== idMember && typeof remark === 'string',
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
  custom: field(remarks, 'custom', 5),
}) satisfies Describes<AgentAudit>;

/**
 * Null data passes the chunk, empty data drops it, any other replaces it. A missing index is that of the first chunk.
 */
const bodyMutation = optionalKind(
  message({
    data: socketField(optionalKind(octets), 'data'),
    chunkIndex: socketField(kindWithDefault(count('large'), 0), 'chunk_index'),
  }),
);

const version = 2;

/**
 * The id of its call stands in the audit on the socket, and is a field of its own on gRPC, which has no body
 * mutations.
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
    webSocket: fixed('websocket_decision', null, (value) => value === 'allow', '"websocket_decision" answers no frame'),
  },
  {
    correlationId: grpcField(textKind, 'correlation_id', 1),
    processingTimeMs: grpcField(optionalKind(number('large')), 'processing_time_ms', 13),
  },
) satisfies Describes<AgentAnswer>;

export type GrpcAgentResponse = ReturnType<typeof agentResponse.toGrpc>;

/**
 * The id of the call that an answer on the socket is for: in the audit, or at the top where that has none; null:
 * nowhere.
 */
export const answeredId = (object: JsonObject): string | null => {
  const { audit, correlation_id: atTop } = object;
  const custom = isJsonObject(audit) ? audit['custom'] : undefined;
  const inAudit = isJsonObject(custom) ? custom[idMember] : undefined;
  if (typeof inAudit === 'string') return inAudit;
  return typeof atTop === 'string' ? atTop : null;
};

/** The headers of a block that its object on the socket cannot carry, because their name is there already. */
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

/** The answer on the socket, without the id of its call. */
export const writeAnswerJson = (answer: AgentAnswer): JsonObject => {
  const { decision, responseHeaders } = answer;
  if (decision.kind !== 'block' || decision.headers.length <= 2) return agentResponse.toJson(answer);
  return agentResponse.toJson({
    ...answer,
    responseHeaders: [...repeatedHeaders(decision.headers), ...responseHeaders],
  });
};

/** Whether an answer changes a body, for which gRPC has no field. */
export const changesBody = ({ requestBodyMutation, responseBodyMutation }: AgentAnswer): boolean =>
  (requestBodyMutation?.data ?? null) !== null || (responseBodyMutation?.data ?? null) !== null;
