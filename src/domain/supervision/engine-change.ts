import type { HttpEngineName } from '../configuration/gateway-configuration.js';

/**
 * Why a reload that names another engine is refused; null: it names the same. Connections and listeners that are open stay with the engine
 * that they were opened by, so that two would serve side by side.
 */
export const engineChangeFault = (running: HttpEngineName, wanted: HttpEngineName): string | null =>
  running === wanted
    ? null
    : `http-engine asks for ${wanted}, and the program runs with ${running}: only a restart changes that, or an upgrade (SIGUSR2)`;
