//! A model with its price.

use std::sync::Arc;

use crate::{Abilities, ChatReply, ChatRequest, LanguageModel, ModelError, Price, ScoreReply, ScoreRequest};

/// A model with its price. Everything else is delegated.
pub(crate) struct PricedModel {
    inner: Arc<dyn LanguageModel>,
    price: Price,
}

impl PricedModel {
    /// The model with its price, if it has one.
    pub(crate) fn over(inner: Arc<dyn LanguageModel>, price: Option<Price>) -> Arc<dyn LanguageModel> {
        match price {
            Some(price) => Arc::new(Self { inner, price }),
            None => inner,
        }
    }
}

#[async_trait::async_trait]
impl LanguageModel for PricedModel {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn abilities(&self) -> Abilities {
        self.inner.abilities()
    }

    fn price(&self) -> Option<Price> {
        Some(self.price)
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.inner.count_tokens(text)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        self.inner.chat(request).await
    }

    async fn score(&self, request: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        self.inner.score(request).await
    }
}
