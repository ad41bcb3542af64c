import { describe, expect, it } from 'vitest';
import { checkSocketOwnership, posixUserId } from '../../../../src/domain/agent-protocol/socket-ownership.js';

const passwd = 'root:x:0:0:root:/root:/bin/sh\nagents:x:990:990::/:/bin/false\nbroken:x:abc:1::/:\nagents:x:0:0::/:\n';

describe('the owner of a socket', () => {
  it.each([
    ['agents', 990],
    ['root', 0],
    ['1234', 1234],
    ['broken', null],
    ['nobody', null],
    ['', null],
    ['990x', null],
    ['-1', null],
    ['99999999999', null],
  ])('named %j is user %s', (owner, id) => {
    expect(posixUserId(owner, passwd)).toBe(id);
  });

  const found = (linkUserId: number, targetUserId = linkUserId, isSocket = true) => ({
    isSocket,
    linkUserId,
    targetUserId,
  });

  it.each([
    ['the own user', 1000],
    ['root', 0],
    ['the named user', 990],
  ])('is trusted where it is %s', (_, userId) => {
    expect(checkSocketOwnership(found(userId), 1000, 990).ok).toBe(true);
  });

  it('is not trusted otherwise', () => {
    expect(checkSocketOwnership(found(1001), 1000, 990)).toMatchObject({ ok: false });
    expect(checkSocketOwnership(found(990), 1000, null)).toMatchObject({ ok: false });
    expect(checkSocketOwnership(found(1000), null, null)).toMatchObject({ ok: false });
  });

  it('is not trusted if another user owns the link or its target', () => {
    expect(checkSocketOwnership(found(1001, 1000), 1000, null)).toMatchObject({ ok: false });
    expect(checkSocketOwnership(found(1000, 1001), 1000, null)).toMatchObject({ ok: false });
  });

  it('does not make a file a socket', () => {
    expect(checkSocketOwnership(found(0, 0, false), 1000, null)).toMatchObject({ ok: false });
  });
});
