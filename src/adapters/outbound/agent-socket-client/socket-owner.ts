import { lstat, readFile, stat } from 'node:fs/promises';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { isSocketPathTooLong } from '../../wire/agent-frames/socket-path.js';

const passwdPath = '/etc/passwd';
const decimal = /^[0-9]{1,10}$/;
const superUserId = 0;

/**
 * The user id of a name, as /etc/passwd has it; digits are an id themselves. The error says that there is no such user.
 * Users that come from elsewhere (LDAP) have to be given by their id.
 */
export const resolveSocketOwner = async (owner: string): Promise<Result<number, string>> => {
  if (decimal.test(owner)) return ok(Number(owner));
  const text = await readFile(passwdPath, 'utf8').catch(() => '');
  for (const line of text.split('\n')) {
    const [name, , id] = line.split(':');
    if (name === owner && id !== undefined && decimal.test(id)) return ok(Number(id));
  }
  return err(`there is no user "${owner}"`);
};

/** `absent`: there is no such file. `refused`: it must not be connected to. */
export type SocketCheck =
  | { readonly kind: 'trusted' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Whether a socket belongs to somebody who may judge requests: the gateway's own user, root, or `owner`. A link is
 * followed only where its own owner may, too.
 */
export const checkSocketOwner = async (path: string, owner: string | null): Promise<SocketCheck> => {
  if (isSocketPathTooLong(path)) return { kind: 'refused', reason: 'its path is too long' };
  const trusted = new Set([superUserId]);
  const ownId = process.getuid?.();
  if (ownId !== undefined) trusted.add(ownId);
  if (owner !== null) {
    const id = await resolveSocketOwner(owner);
    if (!id.ok) return { kind: 'refused', reason: id.error };
    trusted.add(id.value);
  }
  const link = await lstat(path).catch(() => null);
  const target = await stat(path).catch(() => null);
  if (link === null || target === null) return { kind: 'absent' };
  if (!target.isSocket()) return { kind: 'refused', reason: 'it is no socket' };
  const stranger = [link.uid, target.uid].find((uid) => !trusted.has(uid));
  if (stranger === undefined) return { kind: 'trusted' };
  return { kind: 'refused', reason: `it belongs to user ${stranger}, who is not its socket-owner` };
};
