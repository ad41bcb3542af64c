import type { SessionList } from '../../../application/agent/sessions/list-sessions.js';
import type { RevokedSession } from '../../../application/agent/sessions/revoke-sessions.js';
import { nameIdOfSession } from '../../../domain/agent/saml/session-of-assertion.js';
import type { Session } from '../../../domain/agent/sessions/session.js';
import { sessionIdentity } from '../../../domain/agent/sessions/session-identity.js';
import { sessionState } from '../../../domain/agent/sessions/session-state.js';
import { type Claims, type ClaimValue, claimsJson } from '../../../domain/agent/tokens/claims.js';
import type { CommandOutput } from '../../command-line/command-output.js';
import { counted, printableText } from '../../command-line/terminal-text.js';

/** Characters to which a column is padded. */
const widest = 48;

/** Rows of cells, each column as wide as its widest cell. The last column is not padded. */
const inColumns = (rows: readonly (readonly string[])[]): string => {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Math.min([...cell].length, widest));
    }
  }
  const filled = (cell: string, column: number): string =>
    cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - [...cell].length));
  return rows.map((row) => `${row.map(filled).join('  ').trimEnd()}\n`).join('');
};

/** A moment in UTC, as in `2026-01-02T03:04:05Z`. */
const shownMoment = (ms: number): string => {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : `${date.toISOString().slice(0, 19)}Z`;
};

/** Twelve digits tell millions of sessions apart. */
const shortId = ({ idHash }: Session): string => idHash.slice(0, 12);

/** The time, and how long an unused session lasts. */
export interface ReportMoment {
  readonly nowMs: number;
  readonly idleMs: number | null;
}

const stateOf = (session: Session, { nowMs, idleMs }: ReportMoment): string =>
  sessionState(session, { nowMs, idleMs, accepts: () => true });

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const briefJson = (session: Session, moment: ReportMoment) => ({
  id: session.idHash,
  user: session.userId,
  state: stateOf(session, moment),
  created: shownMoment(session.createdMs),
  expires: shownMoment(session.expiresMs),
  last_seen: shownMoment(session.lastSeenMs),
  method: session.method,
  provider: session.provider,
  issuer: session.provider,
});

/** The output of `sessions list`. */
export const listReport = ({ sessions, hasMore }: SessionList, moment: ReportMoment, json: boolean): CommandOutput => {
  const more = hasMore ? 'there are more sessions: raise --limit\n' : '';
  if (json) {
    const stdout = jsonText({ sessions: sessions.map((session) => briefJson(session, moment)), more: hasMore });
    return { stdout, stderr: '', exitCode: 0 };
  }
  if (sessions.length === 0) return { stdout: '', stderr: 'there are no sessions\n', exitCode: 0 };
  const rows = sessions.map((session) => [
    shortId(session),
    printableText(session.userId),
    stateOf(session, moment),
    shownMoment(session.createdMs),
    shownMoment(session.expiresMs),
    shownMoment(session.lastSeenMs),
    session.method,
    printableText(session.provider),
  ]);
  const head = ['ID', 'USER', 'STATE', 'CREATED', 'EXPIRES', 'LAST SEEN', 'METHOD', 'PROVIDER'];
  return { stdout: inColumns([head, ...rows]), stderr: more, exitCode: 0 };
};

const isList = (value: ClaimValue): value is readonly ClaimValue[] => Array.isArray(value);

/** One line for a text, one for each item of a list; anything else as JSON. */
const claimLines = (name: string, value: ClaimValue): string[][] => {
  const texts = isList(value) ? value : [value];
  const shown = (text: ClaimValue): string => {
    if (typeof text === 'string') return text;
    const json = claimsJson({ value: text });
    return json.slice(json.indexOf(':') + 1, -1);
  };
  const named = printableText(name);
  return texts.length === 0 ? [[`  ${named}`, '']] : texts.map((text) => [`  ${named}`, printableText(shown(text))]);
};

const claimsOf = (session: Session): Claims => sessionIdentity(session).claims ?? {};

/** The statements of the provider under their heading. Other details are no data of the user, and may be secrets. */
const statementsText = (session: Session): string => {
  const isOidc = session.method === 'oidc';
  const lines = isOidc
    ? Object.entries(claimsOf(session)).flatMap(([name, value]) => claimLines(name, value))
    : session.attributes.flatMap(({ name, values }) => claimLines(name, values));
  return lines.length === 0 ? '' : `${isOidc ? 'claims' : 'attributes'}\n${inColumns(lines)}`;
};

/** The output of `sessions show`. */
export const showReport = (session: Session, moment: ReportMoment, json: boolean): CommandOutput => {
  const isOidc = session.method === 'oidc';
  const nameId = isOidc ? null : nameIdOfSession(session);
  const sessionIndex = session.logout?.session ?? null;
  if (json) {
    const stdout = jsonText({
      ...briefJson(session, moment),
      name_id: nameId && {
        value: nameId.value,
        format: nameId.format,
        name_qualifier: nameId.nameQualifier,
        sp_name_qualifier: nameId.spNameQualifier,
      },
      session_index: sessionIndex,
      attributes: session.attributes,
      ...(isOidc && { claims: JSON.parse(claimsJson(claimsOf(session))) as unknown }),
    });
    return { stdout, stderr: '', exitCode: 0 };
  }
  const given = (name: string, text: string | null): string[][] => (text === null ? [] : [[name, printableText(text)]]);
  const lines = [
    ['id', session.idHash],
    ...given('user', session.userId),
    ['state', stateOf(session, moment)],
    ['created', shownMoment(session.createdMs)],
    ['expires', shownMoment(session.expiresMs)],
    ['last seen', shownMoment(session.lastSeenMs)],
    ['method', session.method],
    ...given('provider', session.provider),
    ...given('subject', isOidc ? (session.logout?.subject ?? null) : null),
    ...given(isOidc ? 'sid' : 'session index', sessionIndex),
    ...given('name id', nameId?.value ?? null),
    ...given('format', nameId?.format ?? null),
    ...given('name qualifier', nameId?.nameQualifier ?? null),
    ...given('sp name qualifier', nameId?.spNameQualifier ?? null),
  ];
  return { stdout: `${inColumns(lines)}${statementsText(session)}`, stderr: '', exitCode: 0 };
};

/** The output of `sessions revoke`. */
export const revokeReport = (revoked: readonly RevokedSession[]): CommandOutput => ({
  stdout: revoked.map(({ idHash }) => `${idHash}\n`).join(''),
  stderr: `${counted(revoked.length, 'session')} revoked\n`,
  exitCode: 0,
});
