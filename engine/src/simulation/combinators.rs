// SPDX-License-Identifier: Apache-2.0
//! Processes that are made of several.

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

/// Many processes that are one: ends when all have.
pub async fn all(processes: Vec<Pin<Box<dyn Future<Output = ()> + '_>>>) {
    let mut processes: Vec<_> = processes.into_iter().map(Some).collect();
    std::future::poll_fn(|context| {
        let mut is_over = true;
        for process in &mut processes {
            if let Some(running) = process {
                match running.as_mut().poll(context) {
                    Poll::Ready(()) => *process = None,
                    Poll::Pending => is_over = false,
                }
            }
        }
        if is_over { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Waits for the first of many; the others are given up.
pub async fn any(mut processes: Vec<impl Future + Unpin>) {
    std::future::poll_fn(|context| {
        if processes.iter_mut().any(|process| Pin::new(process).poll(context).is_ready()) {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

/// Waits for the first of two; the other one is given up.
pub async fn either(first: impl Future, second: impl Future) {
    let (mut first, mut second) = (std::pin::pin!(first), std::pin::pin!(second));
    std::future::poll_fn(|context| {
        if first.as_mut().poll(context).is_ready() || second.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}
