const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Keeps requests to this machine away from a proxy, which would look for the service on its own machine.
 * Newer versions of Node use the proxy of the environment with NODE_USE_ENV_PROXY, and read `no_proxy` before
 * each request.
 */
export function exemptLoopback(environment: NodeJS.ProcessEnv): void {
  const hasProxy = ['http_proxy', 'https_proxy', 'all_proxy'].some(
    (name) => environment[name] || environment[name.toUpperCase()],
  );
  const given = environment.no_proxy ?? environment.NO_PROXY ?? '';
  if (!hasProxy || given.trim() === '*') return;
  const hosts = given.split(/[\s,]+/).filter(Boolean);
  const all = [...hosts, ...loopback.filter((host) => !hosts.includes(host))].join(',');
  environment.no_proxy = all;
  environment.NO_PROXY = all;
}
