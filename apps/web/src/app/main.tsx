import './mantine.css';
import './theme.css';
import './base.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueries } from './queries.js';
import { router } from './router.js';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');

// The content security policy refuses <style> elements: variables come from theme.css, responsive rules from CSS modules.
createRoot(root).render(
  <StrictMode>
    <MantineProvider defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={createQueries()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
