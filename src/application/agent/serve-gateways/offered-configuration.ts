import {
  agentProtocolVersion,
  type HandshakeRequest,
  type HandshakeResponse,
} from '../../../domain/agent-protocol/handshake.js';
import { isJsonObject, type JsonValue } from '../../../domain/shared/json.js';
import { err, type Result } from '../../../domain/shared/result.js';
import type { AgentService, ConfigurationGiver, ConfigurationOccasion } from '../../ports/agent/agent-service.js';
import type { Logger } from '../../ports/shared/logger.js';

/** Passes a gateway's configuration to the service. The error is the reason to refuse it. */
export const offerConfiguration = async (
  service: AgentService,
  config: JsonValue,
  giver: ConfigurationGiver,
  { occasion, version }: { readonly occasion: ConfigurationOccasion; readonly version: string | null },
  logger: Logger,
): Promise<Result<void, string>> => {
  if (config !== null && !isJsonObject(config)) return err('the configuration is not an object');
  try {
    return await service.configure(config, giver, occasion, version);
  } catch (error) {
    logger.error('a configuration could not be applied', { reason: error instanceof Error ? error.name : 'unknown' });
    return err('the agent failed');
  }
};

/** The answer to a handshake request. Applies its configuration if the handshake is acceptable. */
export const agreeWith = async (
  request: HandshakeRequest,
  giver: ConfigurationGiver,
  service: AgentService,
  logger: Logger,
): Promise<HandshakeResponse> => {
  const protocolVersion = agentProtocolVersion;
  const refuse = (error: string): HandshakeResponse => ({ success: false, protocolVersion, error });
  if (!request.supportedVersions.includes(protocolVersion)) {
    return refuse(`no common protocol version: this agent speaks ${protocolVersion}`);
  }
  if (request.supportedEncodings.length > 0 && !request.supportedEncodings.includes('json')) {
    return refuse('no common encoding: this agent speaks json');
  }
  const configured = await offerConfiguration(
    service,
    request.config,
    giver,
    { occasion: 'handshake', version: null },
    logger,
  );
  return configured.ok
    ? { success: true, protocolVersion, capabilities: service.capabilities() }
    : refuse(configured.error);
};
