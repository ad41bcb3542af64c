import type { AdminFailure, AdminReply } from '../../../application/ports/gateway/admin-client.js';
import { isJsonObject, type JsonValue } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';

/** What `gateway reload` says, and how it ends. */
export interface ReloadReport {
  readonly exitCode: 0 | 1;
  readonly text: string;
}

const failed = (text: string): ReloadReport => ({ exitCode: 1, text: `${text}\n` });

const member = (body: JsonValue, name: string): JsonValue => (isJsonObject(body) ? (body[name] ?? null) : null);

/** As it may be shown on a terminal: lines stay lines. */
const printable = (text: string): string => text.replace(/[^\n\P{Cc}]|\p{Cf}|[\u2028\u2029]/gu, ' ');

const problemsOf = (body: JsonValue): readonly string[] => {
  const problems = member(body, 'problems');
  return Array.isArray(problems) ? problems.filter((problem) => typeof problem === 'string').map(printable) : [];
};

const detailOf = (body: JsonValue): string => {
  const detail = member(body, 'detail');
  return typeof detail === 'string' ? `: ${printable(detail)}` : '';
};

const reloaded = (body: JsonValue): ReloadReport => {
  const count = member(body, 'config_reload_count');
  const times = typeof count === 'number' ? ` (reload ${count} since the start)` : '';
  return { exitCode: 0, text: `The configuration was reloaded${times}.\n` };
};

/** Nothing is said that was not: the gateway that answers may be another version, or no gateway. */
const refusal = ({ status, body }: AdminReply, where: string): ReloadReport => {
  switch (status) {
    case 202:
      if (detailOf(body) !== '') return failed(`error: the configuration was not reloaded yet${detailOf(body)}`);
      return failed(
        `error: the configuration is still being loaded: config_reload_count of /status at ${where} tells whether it came into force, and the log what became of it`,
      );
    case 401:
      return failed(
        `error: the gateway at ${where} does not take the token of this file: it runs with another one. Send SIGHUP to its process`,
      );
    case 403:
      return failed(`error: the gateway at ${where} takes no reload${detailOf(body)}`);
    case 404:
    case 405:
      return failed(`error: what answers at ${where} has no endpoint for a reload`);
    case 409:
      return failed(`error: the configuration was not reloaded${detailOf(body)}`);
    case 422:
      return failed(
        [...problemsOf(body), 'error: the configuration was not reloaded; the one before stays in force'].join('\n'),
      );
    default:
      return failed(`error: what answers at ${where} said ${status}${detailOf(body)}`);
  }
};

/** @param where the admin address, as in `127.0.0.1:9090` */
export const reloadReport = (answered: Result<AdminReply, AdminFailure>, where: string): ReloadReport => {
  if (answered.ok) {
    const { status, body } = answered.value;
    return status === 200 && member(body, 'reloaded') === true ? reloaded(body) : refusal(answered.value, where);
  }
  const { kind, detail } = answered.error;
  if (kind === 'nobody_listens') {
    return failed(
      `error: nobody listens at ${where}, the admin address of this file: no gateway runs, or one with another address`,
    );
  }
  return failed(`error: the gateway at ${where} could not be asked: ${detail}`);
};
