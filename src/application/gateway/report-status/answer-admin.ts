import type {
  AdminConfiguration,
  BuiltinHandler,
} from '../../../domain/gateway/configuration/gateway-configuration.js';
import { isAdminHost, isLoopbackAddress, isLoopbackHost } from '../../../domain/gateway/status/admin-host.js';
import type { GatewayCluster, ReloadOutcome } from '../../ports/gateway/gateway-cluster.js';
import type { SecretComparer } from '../../ports/shared/secret-digest.js';
import {
  type AdminAnswer,
  adminProblem,
  jsonAnswer,
  supervisorUnavailable,
} from '../../shared/administration/admin-answer.js';
import { tokenRefusal } from '../../shared/administration/admin-token.js';
import { type AnswerSessions, isSessionsPath } from '../../shared/administration/answer-sessions.js';
import { builtinAnswer } from './builtin-answer.js';
import type { StatusReports } from './status-reports.js';

/** A command to drain or undrain a target. */
interface DrainCommand {
  readonly upstream: string;
  readonly address: string;
  readonly drained: boolean;
}

const prefix = '/admin/upstreams/';
const middle = '/targets/';

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/**
 * Parses `/admin/upstreams/<name>/targets/<address>/drain` or `/undrain`; null for other paths. A `/` in a name may be
 * written as `/` or `%2F`.
 */
const readDrainCommand = (path: string): DrainCommand | null => {
  if (!path.startsWith(prefix)) return null;
  const end = path.lastIndexOf('/');
  const action = path.slice(end + 1);
  const between = path.lastIndexOf(middle, end - 1);
  if ((action !== 'drain' && action !== 'undrain') || between < prefix.length) return null;
  const upstream = decoded(path.slice(prefix.length, between));
  const address = decoded(path.slice(between + middle.length, end));
  if (upstream === null || address === null || upstream === '' || address === '') return null;
  return { upstream, address, drained: action === 'drain' };
};

/** A request to the admin address. */
export interface AdminRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without the question mark; empty: none. */
  readonly query: string;
  /** Every Host header. */
  readonly hosts: readonly string[];
  /** Every Authorization header. */
  readonly authorizations: readonly string[];
  /** The address of the connection. Forwarding headers are ignored. */
  readonly peerAddress: string;
  readonly correlationId: string;
}

const handlersByPath: ReadonlyMap<string, BuiltinHandler> = new Map([
  ['/health', 'health'],
  ['/ready', 'ready'],
  ['/status', 'status'],
  ['/metrics', 'metrics'],
  ['/admin/upstreams', 'upstreams'],
  ['/admin/version', 'version'],
  ['/admin/routes', 'routes'],
  ['/admin/stats', 'stats'],
]);

const reloadPath = '/admin/reload';

/** The commands that change the gateway. */
type ChangeableGateway = Pick<GatewayCluster, 'reload' | 'drainTarget'>;

const isUnderAdmin = (path: string): boolean => path === '/admin' || path.startsWith('/admin/');

const onlyPost = (correlationId: string): AdminAnswer =>
  adminProblem('method_not_allowed', 'This endpoint accepts only POST.', correlationId, ['Allow', 'POST']);

/** The answer to a reload. Its problems contain no secrets. */
const reloadAnswer = (outcome: ReloadOutcome, correlationId: string): AdminAnswer => {
  switch (outcome.kind) {
    case 'reloaded':
      return jsonAnswer(200, { reloaded: true, config_reload_count: outcome.count });
    case 'refused': {
      const { problems } = outcome;
      return adminProblem('configuration_refused', 'Nothing has changed; see problems.', correlationId, [], {
        problems,
      });
    }
    case 'not_now':
      return adminProblem('reload_not_now', outcome.reason, correlationId);
    case 'under_way':
      return jsonAnswer(202, { reloaded: false, under_way: true });
    case 'after_upgrade': {
      const detail = 'The program is being replaced: the configuration is reloaded once the upgrade is over.';
      return jsonAnswer(202, { reloaded: false, under_way: true, detail });
    }
    case 'no_answer':
      return supervisorUnavailable(correlationId);
  }
};

/** Answers requests to the admin address. Checks the permission first. */
export class AnswerAdmin {
  readonly #reports: StatusReports;
  readonly #isSecret: SecretComparer;
  readonly #cluster: ChangeableGateway;
  readonly #sessions: AnswerSessions;

  constructor(reports: StatusReports, isSecret: SecretComparer, cluster: ChangeableGateway, sessions: AnswerSessions) {
    this.#reports = reports;
    this.#isSecret = isSecret;
    this.#cluster = cluster;
    this.#sessions = sessions;
  }

  /** `admin` is the block in force now: a reload may have changed its token. */
  async answer(request: AdminRequest, admin: AdminConfiguration): Promise<AdminAnswer> {
    const refusal = this.#refusal(request, admin);
    if (refusal !== null) return refusal;

    if (request.path === reloadPath) return this.#reload(request);
    if (isSessionsPath(request.path)) return this.#sessions.answer(request);
    const command = readDrainCommand(request.path);
    if (command !== null) return this.#changeTarget(command, request);
    const handler = handlersByPath.get(request.path);
    if (handler === undefined) {
      return adminProblem('no_route', 'There is no such admin endpoint.', request.correlationId);
    }
    return builtinAnswer(this.#reports, handler, request.method, request.correlationId);
  }

  async #reload({ method, correlationId }: AdminRequest): Promise<AdminAnswer> {
    if (method !== 'POST') return onlyPost(correlationId);
    return reloadAnswer(await this.#cluster.reload(), correlationId);
  }

  async #changeTarget(
    { upstream, address, drained }: DrainCommand,
    { method, correlationId }: AdminRequest,
  ): Promise<AdminAnswer> {
    if (method !== 'POST') return onlyPost(correlationId);
    const change = await this.#cluster.drainTarget(upstream, address, drained);
    if (change === 'no_answer') return supervisorUnavailable(correlationId);
    if (change === 'replaced') {
      const detail = 'Nothing has changed: another process has taken over. Repeat the request on a new connection.';
      return adminProblem('program_replaced', detail, correlationId);
    }
    if (change === 'no_upstream') return adminProblem('no_such_target', 'There is no such upstream.', correlationId);
    if (change === 'no_target')
      return adminProblem('no_such_target', 'The upstream has no such target.', correlationId);
    const { drainedBy } = change;
    const by = drainedBy === null ? {} : { drained_by: drainedBy };
    return jsonAnswer(200, { upstream, target: address, drained: change.drained, ...by });
  }

  #refusal(request: AdminRequest, admin: AdminConfiguration): AdminAnswer | null {
    const { correlationId } = request;
    if (admin.token !== null) {
      return tokenRefusal(request.authorizations, admin.token, this.#isSecret, correlationId);
    }
    // Without a token, addresses other than loopback are served only if the configuration allows it explicitly.
    const isLocal = isLoopbackHost(admin.address.host);
    if (isLocal && !isAdminHost(request.hosts, admin.address.host)) {
      return adminProblem(
        'invalid_host',
        'Without a token, Host must be an IP address, localhost or the configured host.',
        correlationId,
      );
    }
    if (isLocal && !isLoopbackAddress(request.peerAddress)) {
      return adminProblem(
        'admin_forbidden',
        'Without a token, only requests from this machine are accepted.',
        correlationId,
      );
    }
    if (request.method === 'POST' && isUnderAdmin(request.path)) {
      return adminProblem('admin_forbidden', 'A POST needs a token, but the admin block has none.', correlationId);
    }
    if (isSessionsPath(request.path)) {
      return adminProblem('admin_forbidden', 'Sessions need a token, but the admin block has none.', correlationId);
    }
    return null;
  }
}
