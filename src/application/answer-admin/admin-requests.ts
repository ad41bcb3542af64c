import type { AdminConfiguration } from '../../domain/configuration/gateway-configuration.js';
import { acceptCorrelationId, correlationIdHeader } from '../../domain/http/correlation-id.js';
import { gatewayProblems, problemBody } from '../../domain/http/gateway-problem.js';
import { allHeaders, firstHeader } from '../../domain/http/header-list.js';
import type { AdminConnectionAdmissions } from '../admit-connections/admin-connection-admissions.js';
import type { AuditTrail } from '../keep-audit/audit-trail.js';
import type {
  Admission,
  HandshakeFailure,
  ProxyHeaderFailure,
  RejectionAnswer,
  RequestHandler,
} from '../ports/http-engine.js';
import type { ClientRequest, ClientResponse } from '../ports/http-exchange.js';
import type { Logger } from '../ports/logger.js';
import type { Random } from '../ports/random.js';
import { type AdminAnswer, problemAnswer } from '../report-status/admin-answer.js';
import type { AnswerAdmin } from './answer-admin.js';

/** Serves the admin address. */
export class AdminRequests implements RequestHandler {
  readonly #answerAdmin: AnswerAdmin;
  readonly #configuration: () => AdminConfiguration | null;
  readonly #closing: () => boolean;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #connections: AdminConnectionAdmissions;
  readonly #audit: Pick<AuditTrail, 'record'>;

  /** `configuration` is asked for each request; null where a reload has taken the block away meanwhile. */
  constructor(
    answerAdmin: AnswerAdmin,
    configuration: () => AdminConfiguration | null,
    closing: () => boolean,
    random: Random,
    logger: Logger,
    connections: AdminConnectionAdmissions,
    audit: Pick<AuditTrail, 'record'>,
  ) {
    this.#answerAdmin = answerAdmin;
    this.#configuration = configuration;
    this.#closing = closing;
    this.#random = random;
    this.#logger = logger;
    this.#connections = connections;
    this.#audit = audit;
  }

  admit(_listener: string, peerAddress: string): Admission {
    return this.#connections.admit(peerAddress);
  }

  handle(request: ClientRequest, response: ClientResponse): void {
    const correlationId = acceptCorrelationId(firstHeader(request.headers, 'x-correlation-id')) ?? this.#random.uuid();
    const send = ({ status, headers, body }: AdminAnswer) =>
      response.send(status, [...headers, correlationIdHeader, correlationId], body, this.#closing());
    this.#answer(request, correlationId).then(send, (error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#logger.error('an admin endpoint failed', { error_type: 'internal_error', error: text });
      send(problemAnswer('internal_error', 'The request could not be handled.', correlationId));
    });
  }

  reject(): RejectionAnswer {
    const correlationId = this.#random.uuid();
    const body = problemBody('malformed_request', 'The request cannot be read.', correlationId);
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
    if (admin === null) return problemAnswer('no_route', 'There are no admin endpoints.', correlationId);
    const { target } = request;
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    const { peerAddress } = request.connection;
    const answer = await this.#answerAdmin.answer(
      {
        method: request.method,
        path,
        hosts: allHeaders(request.headers, 'host'),
        authorizations: allHeaders(request.headers, 'authorization'),
        peerAddress,
        correlationId,
      },
      admin,
    );
    const { status } = answer;
    const isRefused = status === 401 || status === 403;
    if (request.method === 'POST' || isRefused) {
      const outcome = status < 300 ? 'carried_out' : isRefused ? 'denied' : 'refused';
      const members = {
        path,
        http_method: request.method,
        status,
        client_ip: peerAddress,
        correlation_id: correlationId,
      };
      this.#audit.record({ event: 'admin', outcome, members });
    }
    if (request.method === 'POST' && status === 200) {
      const fields = { path, client_ip: peerAddress, correlation_id: correlationId, trace_id: correlationId };
      this.#logger.info('an admin request was carried out', fields);
    }
    if (isRefused) {
      this.#logger.warn('an admin request was refused', {
        status,
        path,
        client_ip: peerAddress,
        correlation_id: correlationId,
        trace_id: correlationId,
      });
    }
    return answer;
  }
}
