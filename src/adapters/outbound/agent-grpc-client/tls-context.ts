import { createSecureContext, type SecureContext } from 'node:tls';
import type { TextFileReader } from '../../../application/ports/shared/text-file-reader.js';
import type { AgentTls } from '../../../domain/gateway/configuration/gateway-configuration.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** Reads the files of a `tls` block anew, so that a certificate that was replaced counts with the next connection. */
export const readTlsContext = async (tls: AgentTls, files: TextFileReader): Promise<Result<SecureContext, string>> => {
  const texts: string[] = [];
  const { caCertFile, certificate } = tls;
  const paths = [caCertFile, certificate?.certFile ?? null, certificate?.keyFile ?? null];
  for (const path of paths) {
    if (path === null) {
      texts.push('');
      continue;
    }
    const text = await files.read(path);
    if (!text.ok) return err(`the TLS file ${path} ${text.error}`);
    texts.push(text.value);
  }
  const [ca, cert, key] = texts as [string, string, string];
  try {
    const own = certificate === null ? {} : { cert, key };
    return ok(createSecureContext({ minVersion: 'TLSv1.2', ...(caCertFile === null ? {} : { ca }), ...own }));
  } catch {
    // What went wrong may quote the file, and one of them is a key.
    return err(
      `the TLS files ${paths.filter((path) => path !== null).join(', ')} hold no certificates, or no key for them`,
    );
  }
};
