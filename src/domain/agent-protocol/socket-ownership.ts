import { err, ok, type Result } from '../shared/result.js';

/** The file at a path: its owner (`link`), and the owner after following the last link (`target`). */
export interface FoundSocket {
  readonly isSocket: boolean;
  readonly linkUserId: number;
  readonly targetUserId: number;
}

const superUserId = 0;
const decimal = /^[0-9]{1,10}$/;

/**
 * The user id of a name in the text of /etc/passwd; digits are an id. Null: unknown user. Users from other sources,
 * such as LDAP, need their id.
 */
export const posixUserId = (owner: string, passwd: string): number | null => {
  if (decimal.test(owner)) return Number(owner);
  for (const line of passwd.split('\n')) {
    const [name, , id] = line.split(':');
    if (name === owner && id !== undefined && decimal.test(id)) return Number(id);
  }
  return null;
};

/**
 * Checks the owner of an agent's socket: the user of the gateway, root, or the configured user. The owner of a link
 * must be one of them too. The error says why not.
 *
 * @param ownUserId null: the platform has no user ids
 * @param namedUserId null: the configuration names no user
 */
export const checkSocketOwnership = (
  found: FoundSocket,
  ownUserId: number | null,
  namedUserId: number | null,
): Result<void, string> => {
  if (!found.isSocket) return err('it is not a socket');
  const stranger = [found.linkUserId, found.targetUserId].find(
    (userId) => userId !== superUserId && userId !== ownUserId && userId !== namedUserId,
  );
  if (stranger === undefined) return ok(undefined);
  return err(`it belongs to user ${stranger}, who is not its socket-owner`);
};
