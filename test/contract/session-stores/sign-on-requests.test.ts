import { expect } from 'vitest';
import { describeStores } from '../../support/agent/saml-stores.js';
import { hashOf, noonMs, succeeded, testSignOnRequest } from '../../support/agent/test-sessions.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

describeStores('requests to the identity provider', (technology) => {
  const opened = async (cleanUp: CleanUp) => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    return (await place.open()).requests;
  };

  it('are taken once, as they were given', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const begun = testSignOnRequest('begun', { returnTo: '/ü?a=%2F&b="\'' });
    const ended = testSignOnRequest('ended', { kind: 'sign_out', bindingHash: null });
    const answered = testSignOnRequest('answered', { kind: 'answered', bindingHash: 'document session' });
    await succeeded(store.insert(begun));
    await succeeded(store.insert(ended));
    await succeeded(store.insert(answered));
    expect(await succeeded(store.find(hashOf('answered'), noonMs))).toEqual(answered);
    expect(await succeeded(store.take(hashOf('other'), noonMs))).toBeNull();
    expect(await succeeded(store.take(hashOf('begun'), noonMs))).toEqual(begun);
    expect(await succeeded(store.take(hashOf('begun'), noonMs))).toBeNull();
    expect(await succeeded(store.take(hashOf('ended'), noonMs))).toEqual(ended);
  });

  it('are found as often as they are looked for, until they are taken or over', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const begun = testSignOnRequest('begun', { expiresMs: noonMs + 10 });
    await succeeded(store.insert(begun));
    expect(await succeeded(store.find(hashOf('other'), noonMs))).toBeNull();
    for (const nowMs of [noonMs, noonMs + 9])
      expect(await succeeded(store.find(hashOf('begun'), nowMs))).toEqual(begun);
    expect(await succeeded(store.find(hashOf('begun'), noonMs + 10))).toBeNull();
    expect(await succeeded(store.take(hashOf('begun'), noonMs))).toEqual(begun);
    expect(await succeeded(store.find(hashOf('begun'), noonMs))).toBeNull();
  });

  it('go to one of many callers at the same moment', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    await succeeded(store.insert(testSignOnRequest('one')));
    const taken = await Promise.all(Array.from({ length: 200 }, () => succeeded(store.take(hashOf('one'), noonMs))));
    expect(taken.filter((request) => request !== null)).toEqual([testSignOnRequest('one')]);
  });

  it('expire at their expiry time', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    for (const name of ['in time', 'late'])
      await succeeded(store.insert(testSignOnRequest(name, { expiresMs: noonMs + 10 })));
    expect(await succeeded(store.take(hashOf('in time'), noonMs + 9))).not.toBeNull();
    expect(await succeeded(store.take(hashOf('late'), noonMs + 10))).toBeNull();
    // It was there once: nobody gets it by a clock that is set back.
    expect(await succeeded(store.take(hashOf('late'), noonMs))).toBeNull();
  });

  it('refuse a handle that is there, and stay as they were', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    await succeeded(store.insert(testSignOnRequest('one')));
    expect(await store.insert(testSignOnRequest('one', { returnTo: '/elsewhere' }))).toMatchObject({ ok: false });
    expect(await succeeded(store.take(hashOf('one'), noonMs))).toEqual(testSignOnRequest('one'));
  });

  it('are evicted beyond the limit, the oldest first', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const { requestLimit } = technology;
    const insert = (index: number) =>
      succeeded(
        store.insert(
          testSignOnRequest(`n${index}`, { createdMs: noonMs + index, expiresMs: noonMs + 300_000 + index }),
        ),
      );
    for (let index = 0; index < requestLimit; index += 1) await insert(index);
    // What is taken leaves room.
    expect(await succeeded(store.take(hashOf('n5'), noonMs))).not.toBeNull();
    for (let index = requestLimit; index < requestLimit + 4; index += 1) await insert(index);
    const isThere = async (index: number) => (await succeeded(store.take(hashOf(`n${index}`), noonMs))) !== null;
    const there = await Promise.all(Array.from({ length: requestLimit + 4 }, (_, index) => isThere(index)));
    expect(there.map((is, index) => (is ? -1 : index)).filter((index) => index >= 0)).toEqual([0, 1, 2, 5]);
  });

  it('are bounded where they were answered, too', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const { requestLimit } = technology;
    for (let index = 0; index < requestLimit + 4; index += 1) {
      const answered = testSignOnRequest(`a${index}`, { kind: 'answered', createdMs: noonMs + index });
      await succeeded(store.insert(answered));
    }
    const there = await Promise.all(
      Array.from({ length: requestLimit + 4 }, (_, index) => succeeded(store.find(hashOf(`a${index}`), noonMs))),
    );
    expect(there.map((request) => request !== null)).toEqual(
      Array.from({ length: requestLimit + 4 }, (_, index) => index >= 4),
    );
    expect(await succeeded(store.removeExpired(noonMs + 300_000, requestLimit + 4))).toBe(requestLimit);
  });

  it('make no way for one that is refused', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    for (let index = 0; index < technology.requestLimit; index += 1)
      await succeeded(store.insert(testSignOnRequest(`n${index}`, { createdMs: noonMs + index })));
    expect(await store.insert(testSignOnRequest('n3'))).toMatchObject({ ok: false });
    expect(await succeeded(store.take(hashOf('n0'), noonMs))).not.toBeNull();
  });

  it('are removed in batches after they expire', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    for (let index = 0; index < 7; index += 1)
      await succeeded(store.insert(testSignOnRequest(`n${index}`, { expiresMs: noonMs + index })));
    expect(await succeeded(store.removeExpired(noonMs - 1, 5))).toBe(0);
    expect(await succeeded(store.removeExpired(noonMs + 5, 4))).toBe(4);
    expect(await succeeded(store.removeExpired(noonMs + 5, 4))).toBe(2);
    expect(await succeeded(store.take(hashOf('n6'), noonMs + 5))).not.toBeNull();
  });
});
