import type { AdminFailure, AdminReply } from '../../../application/ports/gateway/admin-client.js';
import { isJsonObject, type JsonValue } from '../../../domain/shared/json.js';
import type { Result } from '../../../domain/shared/result.js';
import { type CommandOutput, failedCommand } from '../../command-line/command-output.js';

const failed = (text: string): CommandOutput => failedCommand(`${text}\n`);

const member = (body: JsonValue, name: string): JsonValue => (isJsonObject(body) ? (body[name] ?? null) : null);

/** Like `printableText`, and keeps the lines. */
const printableLines = (text: string): string => text.replace(/[^\n\P{Cc}]|\p{Cf}|[\u2028\u2029]/gu, ' ');

const problemsOf = (body: JsonValue): readonly string[] => {
  const problems = member(body, 'problems');
  return Array.isArray(problems) ? problems.filter((problem) => typeof problem === 'string').map(printableLines) : [];
};

const detailOf = (body: JsonValue): string => {
  const detail = member(body, 'detail');
  return typeof detail === 'string' ? `: ${printableLines(detail)}` : '';
};

const reloaded = (body: JsonValue): CommandOutput => {
  const count = member(body, 'config_reload_count');
  const times = typeof count === 'number' ? ` (reload ${count} since the start)` : '';
  return { stdout: `The configuration was reloaded${times}.\n`, stderr: '', exitCode: 0 };
};

/** Claims no more than the answer says: another version may have sent it, or another program. */
const refusal = ({ status, body }: AdminReply, where: string): CommandOutput => {
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

/**
 * The output of `gateway reload`.
 *
 * @param where the admin address, as in `127.0.0.1:9090`
 */
export const reloadReport = (answered: Result<AdminReply, AdminFailure>, where: string): CommandOutput => {
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
