import { expect, it } from 'vitest';
import {
  type RedirectedMessage,
  RedirectMessages,
} from '../../../../../../src/application/agent/sign-on/saml/provider-messages.js';
import { spKey } from '../../../../../support/agent/fake-saml-sign-on.js';

const keys = { deflate: (message: string) => `deflated:${message}` };

const message: RedirectedMessage = {
  location: 'https://idp.example/sso?a=b',
  parameter: 'SAMLRequest',
  xml: '<a/>',
  relayState: 'handle',
};

it('signs the parameters as encoded in the URL, without those of the location', async () => {
  const signed: string[] = [];
  const sign = async (text: string): Promise<string> => {
    signed.push(text);
    await Promise.resolve();
    return 'ab+/==';
  };
  const url = await new RedirectMessages(keys, { ...spKey, sign }).url(message);
  const parameters =
    'SAMLRequest=deflated%3A%3Ca%2F%3E&RelayState=handle' +
    '&SigAlg=http%3A%2F%2Fwww.w3.org%2F2001%2F04%2Fxmldsig-more%23rsa-sha256';
  expect(signed).toEqual([parameters]);
  expect(url).toBe(`https://idp.example/sso?a=b&${parameters}&Signature=ab%2B%2F%3D%3D`);
});

it('does not sign without a key', async () => {
  expect(await new RedirectMessages(keys, null).url({ ...message, relayState: null })).toBe(
    'https://idp.example/sso?a=b&SAMLRequest=deflated%3A%3Ca%2F%3E',
  );
});

it('creates no URL without the signature if the key cannot sign', async () => {
  const sign = () => Promise.reject(new Error('no'));
  await expect(new RedirectMessages(keys, { ...spKey, sign }).url(message)).rejects.toThrow('no');
});
