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

/** Reports only what the response says: another version or another program may have sent it. */
const refusal = ({ status, body }: AdminReply, where: string): CommandOutput => {
  switch (status) {
    case 202:
      if (detailOf(body) !== '') return failed(`error: the configuration was not reloaded yet${detailOf(body)}`);
      return failed(
        `error: the gateway is still loading the configuration: see config_reload_count of /status at ${where}, and the log`,
      );
    case 401:
      return failed(
        `error: the gateway at ${where} refuses the token of this file: it runs with another token. Send SIGHUP to its process`,
      );
    case 403:
      return failed(`error: the gateway at ${where} accepts no reload${detailOf(body)}`);
    case 404:
    case 405:
      return failed(`error: the server at ${where} has no endpoint for a reload`);
    case 409:
      return failed(`error: the configuration was not reloaded${detailOf(body)}`);
    case 422:
      return failed(
        [...problemsOf(body), 'error: the configuration was not reloaded; the previous one stays active'].join('\n'),
      );
    default:
      return failed(`error: the server at ${where} answered ${status}${detailOf(body)}`);
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
      `error: no server at ${where}, the admin address of this file: start the gateway, or use the file that it runs with`,
    );
  }
  return failed(`error: the gateway at ${where} did not answer: ${detail}`);
};
