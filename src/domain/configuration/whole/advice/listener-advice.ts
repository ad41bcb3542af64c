import { agentsOf, listenersOf, type ReadGateway } from '../../../gateway/configuration/read-gateway.js';
import { triedOptions } from '../tried-options.js';
import type { AdviceReport } from './advice-report.js';
import { wideBlocks } from './wide-trust.js';

const expectsCertificates = (gateway: ReadGateway): string | null =>
  agentsOf(gateway).find((agent) => triedOptions(agent).options.mtls?.enabled === true)?.name.value ?? null;

/** Advice about trusted proxies, slow bodies and optional client certificates. */
export const warnAboutListeners = (gateway: ReadGateway, report: AdviceReport): void => {
  const agent = expectsCertificates(gateway);
  for (const { name, fields, setting } of listenersOf(gateway)) {
    const listener = `listener "${name.value}"`;
    const proxies = fields['trusted-proxies'].value;
    for (const index of wideBlocks(proxies.map(({ value }) => value))) {
      const position = proxies[index]?.position ?? setting.position;
      report.add('everybody-is-trusted', `${listener} trusts any client to state its own address`, position);
    }
    const rate = fields.timeouts.value['min-body-rate'];
    if (rate.given && rate.value === 0) {
      report.add('slow-bodies-are-awaited', `${listener} accepts arbitrarily slow bodies`, rate.position);
    }
    const auth = fields.tls.value?.['client-auth'];
    if (agent !== null && auth?.value === 'request') {
      const message = `${listener} accepts clients without a certificate, but agent "${agent}" authenticates by certificate`;
      report.add('client-certificate-optional', message, auth.position ?? setting.position);
    }
  }
};
