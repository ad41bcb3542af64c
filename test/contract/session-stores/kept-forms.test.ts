import { expect } from 'vitest';
import { describeSharedStores, describeStores } from '../../support/agent/saml-stores.js';
import { hashOf, noonMs, succeeded, testKeptForm } from '../../support/agent/test-sessions.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

describeStores('kept forms', (technology) => {
  const opened = async (cleanUp: CleanUp) => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    return (await place.open()).forms;
  };

  it('are found until they are taken, and taken once, as they were given', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const longest = testKeptForm('longest', { sealed: 'A_-'.repeat(40_000) });
    await succeeded(store.insert(longest));
    await succeeded(store.insert(testKeptForm('empty', { sealed: '' })));
    expect(await succeeded(store.find(hashOf('other'), noonMs))).toBeNull();
    for (let times = 0; times < 2; times += 1) {
      expect(await succeeded(store.find(hashOf('longest'), noonMs))).toEqual(longest);
    }
    expect(await succeeded(store.take(hashOf('longest'), noonMs))).toEqual(longest);
    expect(await succeeded(store.take(hashOf('longest'), noonMs))).toBeNull();
    expect(await succeeded(store.find(hashOf('longest'), noonMs))).toBeNull();
    expect(await succeeded(store.take(hashOf('empty'), noonMs))).toEqual(testKeptForm('empty', { sealed: '' }));
  });

  it('go to one of many callers at the same moment', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    await succeeded(store.insert(testKeptForm('one')));
    const taken = await Promise.all(Array.from({ length: 100 }, () => succeeded(store.take(hashOf('one'), noonMs))));
    expect(taken.filter((form) => form !== null)).toEqual([testKeptForm('one')]);
  });

  it('expire at their expiry time', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    for (const name of ['in time', 'late']) {
      await succeeded(store.insert(testKeptForm(name, { expiresMs: noonMs + 10 })));
    }
    expect(await succeeded(store.take(hashOf('in time'), noonMs + 9))).not.toBeNull();
    expect(await succeeded(store.find(hashOf('late'), noonMs + 10))).toBeNull();
    expect(await succeeded(store.take(hashOf('late'), noonMs + 10))).toBeNull();
    expect(await succeeded(store.take(hashOf('late'), noonMs))).toBeNull();
  });

  it('refuse a handle that is there, and stay as they were', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    await succeeded(store.insert(testKeptForm('one')));
    expect(await store.insert(testKeptForm('one', { sealed: 'other' }))).toMatchObject({ ok: false });
    expect(await succeeded(store.take(hashOf('one'), noonMs))).toEqual(testKeptForm('one'));
  });

  it('are evicted beyond the limit, the oldest first', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    const { formLimit } = technology;
    const insert = (index: number) => succeeded(store.insert(testKeptForm(`n${index}`, { createdMs: noonMs + index })));
    for (let index = 0; index < formLimit; index += 1) await insert(index);
    expect(await succeeded(store.take(hashOf('n5'), noonMs))).not.toBeNull();
    for (let index = formLimit; index < formLimit + 4; index += 1) await insert(index);
    const found = await Promise.all(
      Array.from({ length: formLimit + 4 }, (_, index) => succeeded(store.find(hashOf(`n${index}`), noonMs))),
    );
    const gone = found.map((form, index) => (form === null ? index : -1)).filter((index) => index >= 0);
    expect(gone).toEqual([0, 1, 2, 5]);
  });

  it('are removed in batches after they expire', async ({ cleanUp }) => {
    const store = await opened(cleanUp);
    for (let index = 0; index < 7; index += 1) {
      await succeeded(store.insert(testKeptForm(`n${index}`, { expiresMs: noonMs + index })));
    }
    expect(await succeeded(store.removeExpired(noonMs - 1, 5))).toBe(0);
    expect(await succeeded(store.removeExpired(noonMs + 5, 4))).toBe(4);
    expect(await succeeded(store.removeExpired(noonMs + 5, 4))).toBe(2);
    expect(await succeeded(store.take(hashOf('n6'), noonMs + 5))).not.toBeNull();
  });

  it('are separate for each service provider, and fail once the store is closed', async ({ cleanUp }) => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    const one = await place.open('https://one.example');
    const other = await place.open('https://other.example');
    await succeeded(one.forms.insert(testKeptForm('form')));
    expect(await succeeded(other.forms.find(hashOf('form'), noonMs))).toBeNull();
    expect(await succeeded(other.forms.removeExpired(Number.MAX_SAFE_INTEGER, 9))).toBe(0);
    expect(await succeeded(one.forms.take(hashOf('form'), noonMs))).not.toBeNull();
    await one.close();
    expect(await one.forms.insert(testKeptForm('form'))).toMatchObject({ ok: false });
    expect(await one.forms.take(hashOf('form'), noonMs)).toMatchObject({ ok: false });
  });
});

describeSharedStores('kept forms that several hold', (technology) => {
  it('are found by each, and taken by one', async ({ cleanUp }) => {
    const place = await technology.place();
    cleanUp.add(() => place.remove());
    const [one, other] = [await place.open(), await place.open()];
    await succeeded(one.forms.insert(testKeptForm('form')));
    expect(await succeeded(other.forms.find(hashOf('form'), noonMs))).toEqual(testKeptForm('form'));
    const taken = await Promise.all(
      [one, other, one, other].map(({ forms }) => succeeded(forms.take(hashOf('form'), noonMs))),
    );
    expect(taken.filter((form) => form !== null)).toHaveLength(1);
  });
});
