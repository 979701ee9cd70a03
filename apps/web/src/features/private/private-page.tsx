import '@mantine/core/styles/Progress.css';
import { Button, Progress } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { mostInBrowser } from '@kindred/contracts/network-table';
import { type AnnotateLimits, getLimits } from '../../app/api/annotate.js';
import { formatBytes } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { Page, Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { loadNetwork, type LocalNetwork } from './local-network.js';
import { lock } from './lock.js';
import styles from './private.module.css';
import { PrivateForm } from './private-form.js';
import { Warnings } from './warnings.js';

/** Annotates in this browser alone: the network is loaded once, and then nothing is asked for or sent. */
export function PrivatePage() {
  const limits = useQuery({
    queryKey: ['private-limits'],
    queryFn: getLimits,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [network, setNetwork] = useState<LocalNetwork | null>(null);
  return (
    <Page
      title="Annotate in this browser only"
      lead="A small network reads your proteins on this machine, and no sequence is sent. It looks for no similar protein, so it knows less than the service and has no evidence to show."
    >
      {network === null ? (
        <Loaded query={limits}>
          {(data) => <Preparation offer={data.in_browser} onNetwork={setNetwork} />}
        </Loaded>
      ) : (
        <PrivateForm network={network} />
      )}
    </Page>
  );
}

interface PreparationProps {
  offer: AnnotateLimits['in_browser'];
  onNetwork: (network: LocalNetwork) => void;
}

/** Says what will be loaded, loads it, and locks the page. */
function Preparation({ offer, onNetwork }: PreparationProps) {
  const router = useRouter();
  const [bytes, setBytes] = useState(0);
  const load = useMutation({
    mutationFn: (from: NonNullable<typeof offer>) =>
      loadNetwork({ weights: from.weights, sizeBytes: from.size_bytes, onBytes: setBytes }),
    onSuccess: (network) => {
      lock(router);
      onNetwork(network);
    },
  });
  if (offer === null)
    return (
      <Panel>
        <p>
          This service does not offer it: its operator switched it off, or its network is not installed.{' '}
          <Link to="/">Annotate with the service</Link> instead.
        </p>
      </Panel>
    );
  return (
    <Panel>
      <div className={styles.stack}>
        <p>
          First the page loads the network, {formatBytes(offer.size_bytes)}, from this service; your browser
          keeps it. Then the page locks itself: the browser refuses every further request of it, and you can
          also go offline. Up to {mostInBrowser} proteins at once.
        </p>
        <Warnings />
        {load.isError && <ProblemNote error={load.error} title="The network could not be loaded" />}
        {load.isPending && (
          <Progress
            value={(100 * bytes) / offer.size_bytes}
            aria-label={`${formatBytes(bytes)} of ${formatBytes(offer.size_bytes)} loaded`}
          />
        )}
        <div>
          <Button size="md" loading={load.isPending} onClick={() => load.mutate(offer)}>
            Load {formatBytes(offer.size_bytes)}
          </Button>
        </div>
      </div>
    </Panel>
  );
}
