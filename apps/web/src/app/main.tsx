import './mantine.css';
import './theme.css';
import './base.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { UnknownPlace } from './fallbacks.js';
import { createQueries } from './queries.js';
import { place } from './api/place.js';
import { router } from './router.js';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');

// Its address is relative to the page at which the document was loaded, and the browser asks for it again on others.
for (const icon of document.querySelectorAll<HTMLLinkElement>('link[rel=icon]'))
  icon.setAttribute('href', icon.href);

// The content security policy refuses <style> elements: variables come from theme.css, responsive rules from CSS modules.
createRoot(root).render(
  <StrictMode>
    <MantineProvider defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={createQueries()}>
        {place.unknown === null ? (
          <RouterProvider router={router} />
        ) : (
          <UnknownPlace address={place.unknown} />
        )}
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
