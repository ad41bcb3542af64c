import type { AccessLog, AccessRecord } from '../../../application/ports/gateway/access-log.js';
import type { AgentVerdict } from '../../../domain/agent-protocol/agent-verdict.js';
import type { LogLevel } from '../../../domain/configuration/log-configuration.js';
import { ownText } from '../../../domain/shared/utf8.js';
import type { LogOutput } from './log-output.js';
import { jsonCharacters, jsonText } from './printable-json.js';

const maxTexts = 1_024;
/** Longest cached text, in characters. */
const maxTextLength = 256;

/**
 * Cache of repeated texts as JSON strings, so that each is scanned once. Number and length are
 * bounded.
 */
export class JsonTexts {
  readonly #before: string;
  readonly #behind: string;
  readonly #known = new Map<string, string>();

  /**
   * @param before text before each value in a line
   * @param behind text after it; fewer pieces make a line cheaper
   */
  constructor(before = '', behind = '') {
    this.#before = before;
    this.#behind = behind;
  }

  of(text: string | null): string {
    if (text === null) return `${this.#before}null${this.#behind}`;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (text.length > maxTextLength) return `${this.#before}${jsonText(text)}${this.#behind}`;
    const own = ownText(text);
    const json = ownText(`${this.#before}${jsonText(own)}${this.#behind}`);
    // Clients choose some texts: a full cache is emptied and refills with frequent ones.
    if (this.#known.size >= maxTexts) this.#known.clear();
    this.#known.set(own, json);
    return json;
  }
}

/** Members of a line that requests to one target share. */
interface Place {
  readonly protocol: string;
  readonly host: string | null;
  readonly route: string | null;
  readonly upstream: string | null;
  readonly members: string;
}

const maxPlaces = 1_024;
/** Longest cached members, in characters. */
const maxMembersLength = 1_024;

/** Cache of the members that name the target; nearly always those of its previous request. */
class LinePlaces {
  readonly #texts = new JsonTexts();
  readonly #before: string;
  readonly #behind: string;
  /** Last entry per target. */
  readonly #last = new Map<string | null, Place>();

  /**
   * @param before text before the members
   * @param behind text after them
   */
  constructor(before: string, behind: string) {
    this.#before = before;
    this.#behind = behind;
  }

  /** Protocol to target, each with a leading comma, and the surrounding text. */
  members({ protocol, host, route, upstream, target }: AccessRecord): string {
    const last = this.#last.get(target);
    if (
      last !== undefined &&
      last.host === host &&
      last.route === route &&
      last.upstream === upstream &&
      last.protocol === protocol
    ) {
      return last.members;
    }
    const texts = this.#texts;
    const members = ownText(
      `${this.#before},"protocol":${texts.of(protocol)},"host":${texts.of(host)},"route":${texts.of(route)},` +
        `"upstream":${texts.of(upstream)},"target":${texts.of(target)}${this.#behind}`,
    );
    if (members.length <= maxMembersLength) {
      if (last === undefined && this.#last.size >= maxPlaces) this.#last.clear();
      this.#last.set(target, {
        protocol,
        host: host === null ? null : ownText(host),
        route,
        upstream,
        members,
      });
    }
    return members;
  }
}

/** Fraction text by thousandths. */
const thousandths = Array.from({ length: 1_000 }, (_, count) => String(count / 1_000).slice(1));

/** Below this, the engine handles thousandths as small integers. */
const smallIntegerLimit = 2 ** 30;

/** Milliseconds with microsecond precision as a JSON number; null for NaN. */
const millisecondsText = (value: number): string => {
  const rounded = Math.round(value * 1_000);
  if (!(rounded >= 0 && rounded < smallIntegerLimit)) return Number.isFinite(value) ? String(rounded / 1_000) : 'null';
  const whole = Math.floor(rounded / 1_000);
  return `${whole}${thousandths[rounded - whole * 1_000] as string}`;
};

const behind = ',"duration_ms":';

const first = 100;

/** Valid HTTP status codes (RFC 9110, section 15). */
const statuses = Array.from({ length: 500 }, (_, index) => `${first + index}${behind}`);

/** A status in an access line, with the text after it. */
export const statusText = (status: number): string => statuses[status - first] ?? `${status}${behind}`;

/** Levels that include access lines, which have level info. */
const writingLevels: ReadonlySet<LogLevel> = new Set(['info', 'debug', 'trace']);

const jsonArrayMember = (name: string, all: readonly string[]): string =>
  all.length === 0 ? '' : `,"${name}":[${all.map(jsonText).join(',')}]`;

/** The smallIntegerLimit frequent methods. */
const noRequestBytes = ',"request_bytes":0,"response_bytes":';

/** Audit data of the agent that ended the request. */
const grpcFields = (status: number, code: string | null): string =>
  `,"grpc_status":${status},"code":${jsonText(code ?? 'unknown')}`;

const verdictFields = (verdict: AgentVerdict): string =>
  `,"agent":${jsonText(verdict.agent)}${jsonArrayMember('reason_codes', verdict.reasonCodes)}` +
  `${jsonArrayMember('rule_ids', verdict.ruleIds)}${jsonArrayMember('tags', verdict.tags)}`;

/**
 * Writes one line per request in the shape of the other logs. The line is concatenated by hand,
 * since pino would take several times as long.
 */
export class PinoAccessLog implements AccessLog {
  readonly #output: LogOutput;
  readonly #writes: boolean;
  readonly #wallMs: () => number;
  // Repeated values with their surrounding text: a line costs as much as it has pieces.
  readonly #clients = new JsonTexts('","client_ip":');
  readonly #methods = new JsonTexts(',"method":', ',"path":"');
  readonly #places = new LinePlaces('"', ',"status":');
  readonly #errors = new JsonTexts(',"error_type":');
  /** Text between the time and the request id. */
  readonly #message: string;
  #second = -1;
  #secondText = '';
  #millisecond = -1;
  #start = '';

  /**
   * @param wallMs milliseconds since the Unix epoch
   * @param worker see `PinoLogger`
   */
  constructor(level: LogLevel, output: LogOutput, wallMs: () => number, worker: number | null = null) {
    this.#message = `",${worker === null ? '' : `"worker":${worker},`}"message":"request","request_id":"`;
    this.#output = output;
    this.#writes = writingLevels.has(level);
    this.#wallMs = wallMs;
  }

  get isOn(): boolean {
    return this.#writes;
  }

  write(record: AccessRecord): void {
    if (!this.#writes) return;
    const { requestId, traceId, correlationId, errorType, requestBytes } = record;
    const id = jsonCharacters(requestId);
    let line =
      `${this.#lineStart()}${id}","trace_id":"${traceId === requestId ? id : jsonCharacters(traceId)}` +
      `","correlation_id":"${correlationId === requestId ? id : jsonCharacters(correlationId)}` +
      this.#clients.of(record.clientIp) +
      this.#methods.of(record.method) +
      jsonCharacters(record.path) +
      this.#places.members(record) +
      statusText(record.status) +
      millisecondsText(record.durationMs) +
      `${requestBytes === 0 ? noRequestBytes : `,"request_bytes":${requestBytes},"response_bytes":`}${record.responseBytes}`;
    if (record.upstreamPath !== null) line += `,"upstream_path":"${jsonCharacters(record.upstreamPath)}"`;
    if (errorType !== null) line += this.#errors.of(errorType);
    if (record.grpcStatus !== null) line += grpcFields(record.grpcStatus, errorType);
    if (record.verdict !== null) line += verdictFields(record.verdict);
    this.#output.writeAccess(`${line}}\n`);
  }

  /** Start of a line up to the request id, with an ISO 8601 time; cached per millisecond. */
  #lineStart(): string {
    const now = Math.floor(this.#wallMs());
    if (now === this.#millisecond) return this.#start;
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#secondText = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
    }
    this.#millisecond = now;
    this.#start = ownText(
      `{"level":"info","time":"${this.#secondText}${String(now - second * 1000).padStart(3, '0')}Z${this.#message}`,
    );
    return this.#start;
  }
}
