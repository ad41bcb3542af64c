import type { AgentLogLine } from '../../../domain/agent-protocol/agent-log-line.js';
import type { ConfigUpdate } from '../../../domain/agent-protocol/config-update.js';
import type { AgentHealth } from '../../../domain/agent-protocol/health.js';
import { isSecretName } from '../../../domain/shared/secret.js';
import type { Clock } from '../../ports/shared/clock.js';
import type { Logger } from '../../ports/shared/logger.js';

/** Limits for an agent's texts in the log and in status reports; lengths in characters. */
export const agentTextLimits = { text: 500, id: 200, features: 32 } as const;

/** A text within its limit, without surrounding white space, because texts of libraries end with a new line. */
export const shortened = (text: string): string => text.slice(0, agentTextLimits.text).trim();

/** The bounded part of a health report, which is kept until its connection ends. */
export const shortenedHealth = (health: AgentHealth): AgentHealth => ({
  ...health,
  message: health.message && shortened(health.message),
  disabledFeatures: health.disabledFeatures.slice(0, agentTextLimits.features).map(shortened),
});

/** Limits for log lines of one agent; lengths in characters. */
export const agentLineLimits = { perMinute: 100, text: 2_000, fields: 32, name: 100, value: 500, id: 128 } as const;

const minuteMs = 60_000;

type Notice = Exclude<ConfigUpdate, { readonly kind: 'request_reload' | 'config_error' }>;

const noticeTexts: Readonly<Record<Notice['kind'], string>> = {
  restart_required: 'Agent asks for a restart',
  rule_update: 'Agent sent rules, which the gateway ignores',
  list_update: 'Agent sent a list, which the gateway ignores',
};

const fieldText = ([name, value]: readonly [string, string]): string =>
  `${name.slice(0, agentLineLimits.name)}=${isSecretName(name) ? '[secret]' : value.slice(0, agentLineLimits.value)}`;

/** Writes an agent's messages to the gateway's log, at most `perMinute` lines per minute. */
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

  /** Writes a log line of the agent. Its text is a field, so that it cannot be mistaken for the gateway's message. */
  write({ level, message, correlationId, fields }: AgentLogLine): void {
    if (!this.#mayWrite()) return;
    this.#logger[level]('Agent writes', {
      agent: this.#agent,
      text: message.slice(0, agentLineLimits.text),
      correlation_id: correlationId?.slice(0, agentLineLimits.id) ?? null,
      fields: Object.entries(fields).slice(0, agentLineLimits.fields).map(fieldText),
    });
  }

  /** Logs an update that the gateway ignores. */
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
      this.#logger.warn('Agent logs too much: the gateway drops its lines for the rest of this minute', {
        agent: this.#agent,
      });
    }
    return this.#written <= agentLineLimits.perMinute;
  }
}
