import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionStoreOpener, SessionStores } from '../../src/application/ports/agent/session-stores.js';
import type { Session } from '../../src/domain/agent/sessions/session.js';
import { built } from '../built.js';

const hour = 3_600_000;
/** Inserts that are under way at once while a database is filled. */
const atOnce = 2_000;

/** The id that is in a cookie; the same for the same number. */
export const sessionId = (index: number): string => createHash('sha256').update(`session ${index}`).digest('base64url');

const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A session as single sign-on makes it, begun `index` milliseconds after the start. */
export const sessionOf = (index: number, startMs: number, expiresMs = startMs + 8 * hour + index): Session => ({
  idHash: sha256Hex(sessionId(index)),
  userId: `user-${index}@example.com`,
  method: 'saml',
  provider: 'https://id.example.com/saml/metadata',
  logout: { subject: `user-${index}@example.com`, session: `_${index}` },
  details: { name_id_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' },
  attributes: [
    { name: 'email', values: [`user-${index}@example.com`] },
    { name: 'groups', values: ['dev', 'ops', 'everybody'] },
  ],
  createdMs: startMs + index,
  expiresMs,
  lastSeenMs: startMs + index,
});

/** A database in a folder of its own. */
export interface FilledStore {
  readonly stores: SessionStores;
  readonly count: number;
  /** When its first session began, in milliseconds since the Unix epoch. */
  readonly startMs: number;
  remove(): Promise<void>;
}

/** A new database with so many sessions. */
export const filledStore = async (count: number): Promise<FilledStore> => {
  const { SqliteStoreOpener } = await built<{ readonly SqliteStoreOpener: new () => SessionStoreOpener }>(
    'adapters/outbound/sqlite-session-store/sqlite-store-opener.js',
  );
  const folder = mkdtempSync(join(tmpdir(), 'pc-bench-sessions-'));
  const opened = await new SqliteStoreOpener().open({ kind: 'sqlite', path: join(folder, 'sessions.db') }, 'urn:bench');
  if (!opened.ok) throw new Error(opened.error);
  const stores = opened.value;
  const startMs = Date.now();
  for (let from = 0; from < count; from += atOnce) {
    if (from % 100_000 === 0 && count > 100_000) console.error(`filling: ${from} of ${count} sessions`);
    const batch = Array.from({ length: Math.min(atOnce, count - from) }, (_, index) =>
      stores.sessions.insert(sessionOf(from + index, startMs)),
    );
    for (const inserted of await Promise.all(batch)) if (!inserted.ok) throw new Error(inserted.error.reason);
  }
  const remove = async () => {
    await stores.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { stores, count, startMs, remove };
};
