import { z } from 'zod';
import { email, password } from '../auth/schema.js';

const token = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'expected the 43 characters of the mail')
  .meta({ description: 'From the mail; works once, within 15 minutes' });

export const mailBody = z.strictObject({ email });
export const linkQuery = z.strictObject({ token });
export const newPasswordBody = z.strictObject({ token, new_password: password });
