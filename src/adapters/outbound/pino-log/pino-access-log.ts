import type { AccessLog, AccessRecord } from '../../../application/ports/gateway/access-log.js';
import type { AgentVerdict } from '../../../domain/agent-protocol/agent-verdict.js';
import type { LogLevel } from '../../../domain/configuration/log-configuration.js';
import { ownText } from '../../../domain/shared/own-text.js';
import { JsonTexts } from './json-texts.js';
import { LinePlaces } from './line-places.js';
import type { LogOutput } from './log-output.js';
import { millisecondsText } from './milliseconds-text.js';
import { jsonCharacters, jsonText } from './printable-json.js';
import { statusText } from './status-text.js';

/** Levels at which access lines, which are of level info, are written. */
const writingLevels: ReadonlySet<LogLevel> = new Set(['info', 'debug', 'trace']);

const words = (name: string, all: readonly string[]): string =>
  all.length === 0 ? '' : `,"${name}":[${all.map(jsonText).join(',')}]`;

/** Those of most requests. */
const noRequestBytes = ',"request_bytes":0,"response_bytes":';

/** What an agent that ended the request wants remembered. */
const grpcFields = (status: number, code: string | null): string =>
  `,"grpc_status":${status},"code":${jsonText(code ?? 'unknown')}`;

const verdictFields = (verdict: AgentVerdict): string =>
  `,"agent":${jsonText(verdict.agent)}${words('reason_codes', verdict.reasonCodes)}` +
  `${words('rule_ids', verdict.ruleIds)}${words('tags', verdict.tags)}`;

/**
 * One line for each request, into the same output as the log and in the same shape. The line is put together by hand:
 * pino's own way to it takes several times as long, on every request.
 */
export class PinoAccessLog implements AccessLog {
  readonly #output: LogOutput;
  readonly #writes: boolean;
  readonly #wallMs: () => number;
  // What comes again and again, each with all that stands around it: a line is as expensive as it has pieces.
  readonly #clients = new JsonTexts('","client_ip":');
  readonly #methods = new JsonTexts(',"method":', ',"path":"');
  readonly #places = new LinePlaces('"', ',"status":');
  readonly #errors = new JsonTexts(',"error_type":');
  /** What stands between the time and the request's id. */
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
    if (errorType !== null) line += this.#errors.of(errorType);
    if (record.grpcStatus !== null) line += grpcFields(record.grpcStatus, errorType);
    if (record.verdict !== null) line += verdictFields(record.verdict);
    this.#output.writeAccess(`${line}}\n`);
  }

  /** All before the request's id; the time as ISO 8601 says it. Many lines of a millisecond begin alike. */
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
