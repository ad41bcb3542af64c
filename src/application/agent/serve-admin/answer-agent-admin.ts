import type { Secret } from '../../../domain/shared/secret.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { SecretComparer } from '../../ports/shared/secret-digest.js';
import { type AdminAnswer, adminProblem } from '../../shared/administration/admin-answer.js';
import type { AdminRequestLog } from '../../shared/administration/admin-request-log.js';
import { tokenRefusal } from '../../shared/administration/admin-token.js';
import { type AnswerSessions, isSessionsPath } from '../../shared/administration/answer-sessions.js';

/** A request to the admin address of an agent. */
export interface AgentAdminRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without the question mark; empty: none. */
  readonly query: string;
  /** Every Authorization header. */
  readonly authorizations: readonly string[];
  /** Whether the request announces a body. No endpoint takes one. */
  readonly hasBody: boolean;
  /** The address of the connection; `unix`: it has none. */
  readonly peerAddress: string;
  readonly correlationId: string;
}

export interface AgentAdminServices {
  readonly token: Secret;
  readonly isSecret: SecretComparer;
  readonly sessions: Pick<AnswerSessions, 'answer'>;
  readonly requestLog: AdminRequestLog;
  readonly logger: Pick<Logger, 'error'>;
}

/** Answers requests to the admin address of an agent. Every request needs the token. */
export class AnswerAgentAdmin {
  readonly #parts: AgentAdminServices;

  constructor(parts: AgentAdminServices) {
    this.#parts = parts;
  }

  /** Never rejects. Logs and audits changes and denials. */
  async answer(request: AgentAdminRequest): Promise<AdminAnswer> {
    const { requestLog, logger } = this.#parts;
    const { method, path, peerAddress, correlationId } = request;
    let answer: AdminAnswer;
    try {
      answer = await this.#answer(request);
    } catch (error) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      logger.error('an admin endpoint failed', { error_type: 'internal_error', error: text });
      return adminProblem('internal_error', 'The agent could not handle the request.', correlationId);
    }
    const { status, audited = {} } = answer;
    requestLog.record({ method, path, status, peerAddress, correlationId, audited });
    return answer;
  }

  async #answer(request: AgentAdminRequest): Promise<AdminAnswer> {
    const { token, isSecret, sessions } = this.#parts;
    const { path, correlationId } = request;
    const refusal = tokenRefusal(request.authorizations, token, isSecret, correlationId);
    if (refusal !== null) return refusal;
    if (request.hasBody) return adminProblem('body_too_large', 'No admin endpoint takes a body.', correlationId);
    if (isSessionsPath(path)) return sessions.answer(request);
    return adminProblem('no_route', 'There is no such admin endpoint.', correlationId);
  }
}
