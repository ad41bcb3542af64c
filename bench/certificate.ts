import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Paths of a certificate and its key. */
export interface BenchCertificate {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Creates a key of ECDSA P-256 and a self-signed certificate for shop.example.com and 127.0.0.1, in the folder. */
export const makeCertificate = (openssl: string, folder: string): BenchCertificate => {
  const [certFile, keyFile] = [join(folder, 'bench.pem'), join(folder, 'bench.key')];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  const names = ['-subj', '/CN=bench', '-addext', 'subjectAltName=DNS:shop.example.com,IP:127.0.0.1'];
  execFileSync(openssl, ['req', '-x509', ...key, '-days', '30', ...names, '-out', certFile], { stdio: 'ignore' });
  return { certFile, keyFile };
};
