import type { AgentLogLine } from '../../../domain/agent-protocol/agent-log-line.js';
import type { ConfigUpdate } from '../../../domain/agent-protocol/config-update.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import { isSecretName } from '../../../domain/shared/secret.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';

/**
 * Bounds of what is kept of an agent's own words for the log and for who looks at its status; lengths in characters.
 */
export const agentWordLimits = { text: 500, id: 200, features: 32 } as const;

/** Without white space at either end: texts of libraries end in a new line. */
export const shortened = (text: string): string => text.slice(0, agentWordLimits.text).trim();

/** What is kept of a report: it stays as long as its connection does, however much the agent has to say. */
export const shortenedHealth = (health: AgentHealth): AgentHealth => ({
  ...health,
  message: health.message && shortened(health.message),
  disabledFeatures: health.disabledFeatures.slice(0, agentWordLimits.features).map(shortened),
});

/** Bounds of what one agent has the gateway write; lengths in characters. */
export const agentLineLimits = { perMinute: 100, text: 2_000, fields: 32, name: 100, value: 500, id: 128 } as const;

const minuteMs = 60_000;

type Notice = Exclude<ConfigUpdate, { readonly kind: 'request_reload' | 'config_error' }>;

const noticeTexts: Readonly<Record<Notice['kind'], string>> = {
  restart_required: 'Agent wants to be restarted',
  rule_update: 'Agent sends rules, which the gateway does not keep',
  list_update: 'Agent sends a list, which the gateway does not keep',
};

const fieldText = ([name, value]: readonly [string, string]): string =>
  `${name.slice(0, agentLineLimits.name)}=${isSecretName(name) ? '[secret]' : value.slice(0, agentLineLimits.value)}`;

/** Writes what an agent has to say into the gateway's log: never more than so many lines a minute. */
export class AgentLines {
  readonly #agent: string;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #logger: Logger;
  #minuteBeganMs = Number.NEGATIVE_INFINITY;
  #written = 0;

  constructor(agent: string, clock: Pick<Clock, 'monotonicMs'>, logger: Logger) {
    this.#agent = agent;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** A line of its own. Its words are a field of the record, so that none of them is taken for the gateway's. */
  write({ level, message, correlationId, fields }: AgentLogLine): void {
    if (!this.#mayWrite()) return;
    this.#logger[level]('Agent writes', {
      agent: this.#agent,
      text: message.slice(0, agentLineLimits.text),
      correlation_id: correlationId?.slice(0, agentLineLimits.id) ?? null,
      fields: Object.entries(fields).slice(0, agentLineLimits.fields).map(fieldText),
    });
  }

  /** Something that the gateway does nothing about. */
  note(update: Notice): void {
    if (!this.#mayWrite()) return;
    const reason = update.kind === 'restart_required' ? update.reason.slice(0, agentLineLimits.text) : null;
    this.#logger.warn(noticeTexts[update.kind], { agent: this.#agent, reason });
  }

  #mayWrite(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#minuteBeganMs >= minuteMs) {
      this.#minuteBeganMs = nowMs;
      this.#written = 0;
    }
    this.#written += 1;
    if (this.#written === agentLineLimits.perMinute + 1) {
      this.#logger.warn('Agent writes too much: the rest of this minute is left out', { agent: this.#agent });
    }
    return this.#written <= agentLineLimits.perMinute;
  }
}
