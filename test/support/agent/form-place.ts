import { expect } from 'vitest';
import type { JsonObject } from '../../../src/domain/shared/json.js';
import type { CleanUp } from '../shared/clean-up.js';
import { temporaryFolder } from '../shared/temporary-folder.js';
import { choicesOf, FormBrowser, type SentForm } from './form-browser.js';
import { type OidcBrowser, oidcPlace } from './oidc-agent.js';

export const formCookie = '__Host-portcullis_session_form';
export const userCookie = '__Host-portcullis_session_user';
export const target = '/orders/new?list=a%2Fb&list=c';
/** With a repeated name, an empty name and value, an escaped line feed and a secret. */
export const form = 'item=%C3%A4%0D%0A+x&item=2&=empty&note=&password=geheim-7&%3Cb%3E=%26';

/** An agent that keeps forms for ten minutes, with sessions that end after a minute without use. */
export const formPlace = async (
  cleanUp: CleanUp,
  sessions: JsonObject = {},
  login: Parameters<typeof oidcPlace>[1] = {},
  config: JsonObject = {},
) => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const made = await oidcPlace(cleanUp, login, {
    ...config,
    sessions: {
      store: 'sqlite',
      path: folder.file('s/sessions.db'),
      'idle-secs': 60,
      'keep-posted-forms': true,
      ...sessions,
    },
  });
  const connection = Symbol('forms');
  const signOn = async (browser: OidcBrowser) => {
    const completed = await browser.callback(made.provider.authorize(await browser.begin('/orders')));
    expect(completed.status).toBe(302);
  };
  const formsOf = (browser: OidcBrowser, host = browser.host) =>
    new FormBrowser((event) => made.agent.decide(event, connection), browser.cookies, host);
  /** A browser whose session has ended. */
  const ended = async () => {
    const browser = made.newBrowser();
    await signOn(browser);
    made.clock.advance(60_000);
    return { browser, forms: formsOf(browser) };
  };
  /** A browser whose form is kept, at the provider. */
  const kept = async (sent: SentForm = {}) => {
    const { browser, forms } = await ended();
    const reply = await forms.post(target, form, sent);
    expect(reply.status).toBe(303);
    return { browser, forms, location: reply.location ?? '' };
  };
  /** The user signs on, and is asked about the form. */
  const asked = async () => {
    const { browser, forms, location } = await kept();
    const completed = await browser.callback(made.provider.authorize(location));
    expect([completed.status, completed.location]).toEqual([302, target]);
    const page = await forms.get(target);
    return { browser, forms, page, choices: choicesOf(page) };
  };
  return { ...made, folder, signOn, formsOf, ended, kept, asked };
};
