import { type Browser, chromium } from 'playwright-core';
import { selfSignedCertificate } from '../agent/self-signed-certificate.js';
import { rsaPair } from '../agent/test-tokens.js';
import type { CleanUp } from './clean-up.js';
import { peerPath } from './peers.js';
import { temporaryFolder } from './temporary-folder.js';

/** Chromium's sandbox does not run as root. The other flags keep it from the network and from devices. */
const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a browser with a new empty profile; `cleanUp` closes it. */
export const startBrowser = async (cleanUp: CleanUp, flags: readonly string[] = []): Promise<Browser> => {
  const browser = await chromium.launch({
    executablePath: peerPath('chromium') ?? '',
    args: [...chromiumFlags, ...flags],
  });
  cleanUp.add(() => browser.close());
  return browser;
};

/** A new self-signed certificate and its key, as PEM. */
export const selfSignedServer = (name: string): { readonly cert: string; readonly key: string } => {
  const pair = rsaPair();
  const der = selfSignedCertificate(pair, name).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${der.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
  };
};

/** Listener members, in KDL, for HTTPS with a new self-signed certificate of localhost. */
export const tlsMembers = (cleanUp: CleanUp): string => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const { cert, key } = selfSignedServer('localhost');
  const [certFile, keyFile] = [folder.write('tls.crt', cert), folder.write('tls.key', key)];
  return `protocol "https"; tls { cert-file "${certFile}"; key-file "${keyFile}" }`;
};
