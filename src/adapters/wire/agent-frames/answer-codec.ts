import { isLasting } from '../../../domain/agent-protocol/lasting-answers.js';
import {
  type AgentAnswer,
  type AgentAudit,
  type AgentDecision,
  emptyAudit,
  type HeaderOperation,
} from '../../../domain/agent-protocol/messages.js';
import type { HeaderList } from '../../../domain/http/header-list.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/shared/json.js';
import { readSingleHeaders } from './header-fields.js';
import {
  readCount,
  readObject,
  readOptionalArray,
  readOptionalFlag,
  readOptionalNumber,
  readOptionalObject,
  readOptionalText,
  readOptionalTextRecord,
  readOptionalTexts,
  readText,
} from './json-fields.js';
import type { JsonOctets } from './json-octets.js';
import { MalformedMessage } from './malformed-message.js';
import { readMutation, writeMutation } from './mutation-codec.js';

const answerVersion = 2;

/** Later ones of one name are left out here: they go as response header operations. */
const writeSingleHeaders = (headers: HeaderList): JsonObject => {
  const pairs = new Map<string, string>();
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (!pairs.has(name)) pairs.set(name, headers[index + 1] as string);
  }
  return Object.fromEntries(pairs);
};

/** The headers of a block that its object cannot carry, because their name is there already. */
const repeatedHeaders = (headers: HeaderList): HeaderOperation[] => {
  const operations: HeaderOperation[] = [];
  const seen = new Set<string>();
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] as string;
    if (seen.has(name)) operations.push({ kind: 'add', name, value: headers[index + 1] as string });
    seen.add(name);
  }
  return operations;
};

const writeDecision = (decision: AgentDecision): JsonValue => {
  switch (decision.kind) {
    case 'allow':
      return 'allow';
    case 'block':
      return {
        block: { status: decision.status, body: decision.body, headers: writeSingleHeaders(decision.headers) },
      };
    case 'redirect':
      return { redirect: { url: decision.url, status: decision.status } };
    case 'challenge':
      return { challenge: { challenge_type: decision.challengeType, params: decision.params } };
  }
};

const writeOperation = (operation: HeaderOperation): JsonValue => {
  switch (operation.kind) {
    case 'set':
      return { set: { name: operation.name, value: operation.value } };
    case 'add':
      return { add: { name: operation.name, value: operation.value } };
    case 'remove':
      return { remove: { name: operation.name } };
  }
};

const responseOperations = (answer: AgentAnswer): readonly HeaderOperation[] =>
  answer.decision.kind === 'block' && answer.decision.headers.length > 2
    ? [...repeatedHeaders(answer.decision.headers), ...answer.responseHeaders]
    : answer.responseHeaders;

/** An answer as JSON, up to where the id of its call stands, and from there on. */
type AnswerText = readonly [before: string, after: string];
type AnswerOctets = readonly [before: Uint8Array, after: Uint8Array];

/** Of answers that are given again and again. */
const lastingOctets = new WeakMap<AgentAnswer, AnswerOctets>();

const encoder = new TextEncoder();

/** The members of an object that stands in front of others, without what closes it. */
const opened = (json: string, depth: number): string => {
  const open = json.slice(0, -depth);
  return open.endsWith('{') ? open : `${open},`;
};

const writeAnswer = (answer: AgentAnswer, additions: JsonObject): AnswerText => {
  const { tags, ruleIds, confidence, reasonCodes } = answer.audit;
  const { correlation_id: _, ...custom } = answer.audit.custom;
  const head = JSON.stringify({
    version: answerVersion,
    decision: writeDecision(answer.decision),
    request_headers: answer.requestHeaders.map(writeOperation),
    response_headers: responseOperations(answer).map(writeOperation),
    routing_metadata: {},
    audit: { tags, rule_ids: ruleIds, confidence, reason_codes: reasonCodes, custom },
  });
  const rest = JSON.stringify({
    needs_more: answer.needsMore,
    request_body_mutation: writeMutation(answer.requestBodyMutation),
    response_body_mutation: writeMutation(answer.responseBodyMutation),
    websocket_decision: null,
    ...additions,
  });
  // The id comes last in `custom`, which comes last in `audit`, which comes last in the head.
  return [`${opened(head, '}}}'.length)}"correlation_id":`, `}},${rest.slice('{'.length)}`];
};

/** What is written of an answer. */
export interface WrittenAnswer {
  readonly answer: AgentAnswer;
  readonly correlationId: string;
  /** Members beside those of an AgentResponse, which other readers ignore; null: there are none. */
  readonly additions: JsonObject | null;
}

/** Adds the payload of an answer. One that is given again and again is not written again, but copied. */
export const addAnswer = (into: JsonOctets, { answer, correlationId, additions }: WrittenAnswer): void => {
  const known = additions === null ? lastingOctets.get(answer) : undefined;
  if (known !== undefined) {
    into.add(known[0]);
    into.addString(correlationId);
    into.add(known[1]);
    return;
  }
  const [before, after] = writeAnswer(answer, additions ?? {});
  into.addText(before);
  into.addString(correlationId);
  into.addText(after);
  if (additions !== null || !isLasting(answer)) return;
  lastingOctets.set(answer, [encoder.encode(before), encoder.encode(after)]);
};

/** The id of the call that an answer is for: `audit.custom.correlation_id`, or the top-level one where that is missing. */
export const readAnsweredId = (object: JsonObject): string => {
  const audit = object['audit'];
  const custom = isJsonObject(audit) ? audit['custom'] : undefined;
  const inAudit = isJsonObject(custom) ? custom['correlation_id'] : undefined;
  return typeof inAudit === 'string' ? inAudit : readText(object, 'correlation_id');
};

const readStatus = (object: JsonObject): number => readCount(object, 'status');

/** An absent decision is malformed, and so is one of two kinds. */
const readDecision = (decision: JsonValue | undefined): AgentDecision => {
  if (decision === 'allow') return { kind: 'allow' };
  if (!isJsonObject(decision)) throw new MalformedMessage('"decision" is none');
  const kinds = Object.keys(decision);
  const kind = kinds.length === 1 ? kinds[0] : undefined;
  switch (kind) {
    case 'allow':
      readObject(decision, kind);
      return { kind };
    case 'block': {
      const block = readObject(decision, kind);
      const headers = readSingleHeaders(readOptionalObject(block, 'headers') ?? {});
      return { kind, status: readStatus(block), body: readOptionalText(block, 'body'), headers };
    }
    case 'redirect': {
      const redirect = readObject(decision, kind);
      return { kind, url: readText(redirect, 'url'), status: readStatus(redirect) };
    }
    case 'challenge': {
      const challenge = readObject(decision, kind);
      const params = readOptionalTextRecord(challenge, 'params');
      return { kind, challengeType: readText(challenge, 'challenge_type'), params };
    }
    default:
      throw new MalformedMessage('"decision" is none');
  }
};

const readOperation = (operation: JsonValue): HeaderOperation => {
  if (!isJsonObject(operation)) throw new MalformedMessage('a header operation is no object');
  const kinds = Object.keys(operation);
  const kind = kinds.length === 1 ? kinds[0] : undefined;
  if (kind === 'remove') return { kind, name: readText(readObject(operation, kind), 'name') };
  if (kind !== 'set' && kind !== 'add') throw new MalformedMessage('a header operation is none');
  const header = readObject(operation, kind);
  return { kind, name: readText(header, 'name'), value: readText(header, 'value') };
};

const readOperations = (object: JsonObject, name: string): readonly HeaderOperation[] => {
  const operations = readOptionalArray(object, name);
  return operations.length === 0 ? [] : operations.map(readOperation);
};

/** What an agent elsewhere puts beside the correlation id may be of any type; only texts are kept. */
const readCustom = (audit: JsonObject): Readonly<Record<string, string>> => {
  const custom = readOptionalObject(audit, 'custom');
  if (custom === null) return {};
  const entries = Object.entries(custom).filter(
    ([name, value]) => name !== 'correlation_id' && typeof value === 'string',
  );
  return entries.length === 0 ? emptyAudit.custom : (Object.fromEntries(entries) as Record<string, string>);
};

const readAudit = (object: JsonObject): AgentAudit => {
  const audit = readOptionalObject(object, 'audit');
  if (audit === null) return emptyAudit;
  return {
    tags: readOptionalTexts(audit, 'tags'),
    ruleIds: readOptionalTexts(audit, 'rule_ids'),
    confidence: readOptionalNumber(audit, 'confidence'),
    reasonCodes: readOptionalTexts(audit, 'reason_codes'),
    custom: readCustom(audit),
  };
};

export const readAnswer = (object: JsonObject): AgentAnswer => {
  if ((object['version'] ?? answerVersion) !== answerVersion) throw new MalformedMessage('"version" is not 2');
  if ((object['websocket_decision'] ?? 'allow') !== 'allow') {
    throw new MalformedMessage('"websocket_decision" answers no frame');
  }
  return {
    decision: readDecision(object['decision']),
    requestHeaders: readOperations(object, 'request_headers'),
    responseHeaders: readOperations(object, 'response_headers'),
    needsMore: readOptionalFlag(object, 'needs_more'),
    audit: readAudit(object),
    requestBodyMutation: readMutation(object, 'request_body_mutation'),
    responseBodyMutation: readMutation(object, 'response_body_mutation'),
  };
};
