import type { SessionList } from '../../../application/agent/sessions/list-sessions.js';
import type { Session } from '../../../domain/agent/saml/session/session.js';
import { sessionStanding } from '../../../domain/agent/saml/session/session-rules.js';
import { inColumns } from './columns.js';
import type { CommandOutput } from './command-output.js';
import { printableText, shownMoment } from './printable-text.js';

/** Enough of a hash to name one of some millions. */
const shortId = ({ idHash }: Session): string => idHash.slice(0, 12);

/** What time it is, and how long sessions last that are not used. */
export interface ReportMoment {
  readonly nowMs: number;
  readonly idleMs: number | null;
}

const stateOf = (session: Session, { nowMs, idleMs }: ReportMoment): string =>
  sessionStanding(session, { nowMs, idleMs, issuer: null });

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const briefJson = (session: Session, moment: ReportMoment) => ({
  id: session.idHash,
  user: session.userId,
  state: stateOf(session, moment),
  created: shownMoment(session.createdMs),
  expires: shownMoment(session.expiresMs),
  last_seen: shownMoment(session.lastSeenMs),
  issuer: session.issuer,
});

/** What `sessions list` says. */
export const listReport = ({ sessions, hasMore }: SessionList, moment: ReportMoment, json: boolean): CommandOutput => {
  const more = hasMore ? 'there are more: --limit shows them\n' : '';
  if (json) {
    const result = jsonText({ sessions: sessions.map((session) => briefJson(session, moment)), more: hasMore });
    return { result, messages: '', exitCode: 0 };
  }
  if (sessions.length === 0) return { result: '', messages: 'there are no sessions\n', exitCode: 0 };
  const rows = sessions.map((session) => [
    shortId(session),
    printableText(session.userId),
    stateOf(session, moment),
    shownMoment(session.createdMs),
    shownMoment(session.expiresMs),
    shownMoment(session.lastSeenMs),
    printableText(session.issuer),
  ]);
  const head = ['ID', 'USER', 'STATE', 'CREATED', 'EXPIRES', 'LAST SEEN', 'ISSUER'];
  return { result: inColumns([head, ...rows]), messages: more, exitCode: 0 };
};

/** What `sessions show` says. */
export const showReport = (session: Session, moment: ReportMoment, json: boolean): CommandOutput => {
  const { nameId } = session;
  if (json) {
    const result = jsonText({
      ...briefJson(session, moment),
      name_id: nameId && {
        value: nameId.value,
        format: nameId.format,
        name_qualifier: nameId.nameQualifier,
        sp_name_qualifier: nameId.spNameQualifier,
      },
      session_index: session.sessionIndex,
      attributes: session.attributes,
    });
    return { result, messages: '', exitCode: 0 };
  }
  const given = (name: string, text: string | null): string[][] => (text === null ? [] : [[name, printableText(text)]]);
  const lines = [
    ['id', session.idHash],
    ...given('user', session.userId),
    ['state', stateOf(session, moment)],
    ['created', shownMoment(session.createdMs)],
    ['expires', shownMoment(session.expiresMs)],
    ['last seen', shownMoment(session.lastSeenMs)],
    ...given('issuer', session.issuer),
    ...given('session index', session.sessionIndex),
    ...given('name id', nameId?.value ?? null),
    ...given('format', nameId?.format ?? null),
    ...given('name qualifier', nameId?.nameQualifier ?? null),
    ...given('sp name qualifier', nameId?.spNameQualifier ?? null),
  ];
  const attributes = session.attributes.flatMap(({ name, values }) =>
    values.length === 0
      ? [[`  ${printableText(name)}`, '']]
      : values.map((text) => [`  ${printableText(name)}`, printableText(text)]),
  );
  const told = attributes.length === 0 ? '' : `attributes\n${inColumns(attributes)}`;
  return { result: `${inColumns(lines)}${told}`, messages: '', exitCode: 0 };
};

/** What `sessions revoke` says. */
export const revokeReport = (idHashes: readonly string[]): CommandOutput => ({
  result: idHashes.map((idHash) => `${idHash}\n`).join(''),
  messages: `${idHashes.length} ${idHashes.length === 1 ? 'session' : 'sessions'} revoked\n`,
  exitCode: 0,
});
