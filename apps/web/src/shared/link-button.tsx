import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, forwardRef } from 'react';

type Props = ButtonProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps>;

const AnchorButton = forwardRef<HTMLAnchorElement, Props>(function AnchorButton(props, ref) {
  return <Button component="a" ref={ref} {...props} />;
});

/** A link to a page of the client that looks like a button. */
export const LinkButton = createLink(AnchorButton);
