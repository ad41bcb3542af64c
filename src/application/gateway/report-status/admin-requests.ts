import type { AdminConfiguration } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { acceptCorrelationId, correlationIdHeader } from '../../../domain/http/correlation-id.js';
import { gatewayProblems, problemBody } from '../../../domain/http/gateway-problem.js';
import { allHeaders, firstHeader } from '../../../domain/http/header-list.js';
import { loggedMethod } from '../../../domain/http/request-method.js';
import type {
  ConnectionAdmission,
  HandshakeFailure,
  ProxyHeaderFailure,
  RejectionAnswer,
  RequestHandler,
} from '../../ports/gateway/http-engine.js';
import type { ClientRequest, ClientResponse } from '../../ports/gateway/http-exchange.js';
import type { Logger } from '../../ports/shared/logger.js';
import type { Random } from '../../ports/shared/random.js';
import { type AdminAnswer, adminProblem } from '../../shared/administration/admin-answer.js';
import type { AdminRequestLog } from '../../shared/administration/admin-request-log.js';
import type { AdminConnectionAdmissions } from '../admit/connection-admissions.js';
import type { AnswerAdmin } from './answer-admin.js';

/** Serves the admin address. */
export class AdminRequests implements RequestHandler {
  readonly #answerAdmin: AnswerAdmin;
  readonly #configuration: () => AdminConfiguration | null;
  readonly #closing: () => boolean;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #connections: AdminConnectionAdmissions;
  readonly #requestLog: AdminRequestLog;

  /** `configuration` is called for each request; null: a reload has removed the admin block. */
  constructor(
    answerAdmin: AnswerAdmin,
    configuration: () => AdminConfiguration | null,
    closing: () => boolean,
    random: Random,
    logger: Logger,
    connections: AdminConnectionAdmissions,
    requestLog: AdminRequestLog,
  ) {
    this.#answerAdmin = answerAdmin;
    this.#configuration = configuration;
    this.#closing = closing;
    this.#random = random;
    this.#logger = logger;
    this.#connections = connections;
    this.#requestLog = requestLog;
  }

  admit(_listener: string, peerAddress: string): ConnectionAdmission {
    return this.#connections.admit(peerAddress);
  }

  handle(request: ClientRequest, response: ClientResponse): void {
    const correlationId = acceptCorrelationId(firstHeader(request.headers, 'x-correlation-id')) ?? this.#random.uuid();
    const send = ({ status, headers, body }: AdminAnswer) =>
      response.send(status, [...headers, correlationIdHeader, correlationId], body, this.#closing());
    const done = this.#requestLog.begin();
    this.#answer(request, correlationId)
      .finally(done)
      .then(send, (error: unknown) => {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.#logger.error('an admin endpoint failed', { error_type: 'internal_error', error: text });
        send(adminProblem('internal_error', 'The gateway could not handle the request.', correlationId));
      });
  }

  reject(): RejectionAnswer {
    const correlationId = this.#random.uuid();
    const body = problemBody('malformed_request', 'The request is malformed.', correlationId);
    const headers = ['Content-Type', 'application/problem+json', 'Cache-Control', 'no-store'];
    const { status } = gatewayProblems.malformed_request;
    return { status, headers: [...headers, correlationIdHeader, correlationId], body };
  }

  handshakeFailed({ listener, peerAddress, code }: HandshakeFailure): void {
    this.#logger.info('TLS handshake failed', { listener, client_ip: peerAddress, code });
  }

  proxyHeaderFailed({ listener, peerAddress, reason }: ProxyHeaderFailure): void {
    this.#logger.warn('PROXY header refused', { listener, peer_ip: peerAddress, reason });
  }

  async #answer(request: ClientRequest, correlationId: string): Promise<AdminAnswer> {
    const admin = this.#configuration();
    if (admin === null) return adminProblem('no_route', 'There are no admin endpoints.', correlationId);
    const { target } = request;
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    const { peerAddress } = request.connection;
    const answer = await this.#answerAdmin.answer(
      {
        method: request.method,
        path,
        query: mark < 0 ? '' : target.slice(mark + 1),
        hosts: allHeaders(request.headers, 'host'),
        authorizations: allHeaders(request.headers, 'authorization'),
        peerAddress,
        correlationId,
      },
      admin,
    );
    this.#requestLog.record({
      method: loggedMethod(request.method),
      path,
      status: answer.status,
      peerAddress,
      correlationId,
      audited: answer.audited ?? {},
    });
    return answer;
  }
}
